//! Why a request failed, in a few words. Not the library's own text: that
//! repeats the address and hides the cause.

use crate::model::error::Trouble;
use crate::model::server_error::clean;
use std::error::Error;
use std::io;

/// What of a cause is shown, in characters.
const SHOWN_CHARS: usize = 80;

/// Why no client could be made.
pub(super) fn of_setup(error: &reqwest::Error) -> Trouble {
    Trouble::Client(last_words(error))
}

/// Why a request was not answered, or an answer broke off.
pub(super) fn of_failure(error: &reqwest::Error) -> Trouble {
    if let Some(tls) = causes(error).find_map(as_tls) {
        return Trouble::Insecure(clean(&tls.to_string(), SHOWN_CHARS));
    }
    let why = if error.is_dns() {
        "name not found".into()
    } else if error.is_timeout() {
        "connecting took too long".into()
    } else {
        causes(error).find_map(as_io).map_or_else(|| last_words(error), String::from)
    };
    if error.is_connect() { Trouble::Unreachable(why) } else { Trouble::Broken(why) }
}

/// All causes of an error, from the outermost in.
fn causes<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |error: &&'a (dyn Error + 'static)| (*error).source())
}

fn last_words(error: &reqwest::Error) -> String {
    causes(error)
        .last()
        .map_or_else(|| "no reason given".into(), |last| clean(&last.to_string(), SHOWN_CHARS))
}

/// A failure of TLS, which travels inside errors of input and output: those
/// name as their source not what they hold but the source of that.
fn as_tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    match error.downcast_ref::<io::Error>() {
        Some(io) => as_tls(io.get_ref()?),
        None => error.downcast_ref(),
    }
}

fn as_io(error: &(dyn Error + 'static)) -> Option<&'static str> {
    use io::ErrorKind as Kind;
    match error.downcast_ref::<io::Error>()?.kind() {
        Kind::ConnectionRefused => Some("connection refused"),
        Kind::ConnectionReset => Some("connection reset"),
        Kind::ConnectionAborted | Kind::BrokenPipe | Kind::UnexpectedEof => Some("connection closed"),
        Kind::HostUnreachable | Kind::NetworkUnreachable => Some("no route to it"),
        Kind::TimedOut => Some("connecting took too long"),
        _ => None,
    }
}
