//! One attempt: send, read, check.

use super::assemble::{Assembler, Complete, Step};
use crate::model::Progress;
use crate::model::classify::{self, Failure};
use crate::model::error::Trouble;
use crate::model::http::{Client, Reply};
use crate::model::quirks::Quirks;
use crate::model::retry::Phase;
use crate::model::server_error::ServerError;
use crate::model::sse::{Decoder, STREAM_BYTES, SseError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, timeout_at};

/// What a person saw of an attempt.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    to: &'a UnboundedSender<Progress>,
    started: bool,
    in_word: bool,
    /// Anything was shown.
    pub(super) anything: bool,
    /// Words of the answer that were shown.
    pub(super) words: usize,
    /// How far the attempt came.
    pub(super) phase: Phase,
}

impl<'a> Shown<'a> {
    pub(super) fn nothing(to: &'a UnboundedSender<Progress>) -> Self {
        Self { to, started: false, in_word: false, anything: false, words: 0, phase: Phase::Request }
    }

    /// The first event that says something came.
    fn started(&mut self) {
        if !std::mem::replace(&mut self.started, true) {
            self.send(Progress::Started);
        }
    }

    fn show(&mut self, progress: Progress) {
        self.anything = true;
        if let Progress::Text(text) | Progress::Refusal(text) = &progress {
            for c in text.chars() {
                let in_word = !c.is_whitespace();
                self.words += usize::from(in_word && !self.in_word);
                self.in_word = in_word;
            }
        }
        self.send(progress);
    }

    fn send(&self, progress: Progress) {
        // Nobody has to watch.
        let _ = self.to.send(progress);
    }
}

/// Sends a body and reads the answer to its end.
///
/// # Errors
/// [`Failure`], also where the answer came and cannot be used.
pub(super) async fn attempt(
    client: &Client,
    body: Vec<u8>,
    quirks: Quirks,
    shown: &mut Shown<'_>,
) -> Result<Complete, Failure> {
    let mut reply = client.post("responses", body).await.map_err(Failure::of_connection)?;
    match reply.status() {
        200 => {}
        status @ 300..400 => return Err(Failure::stop(Trouble::Redirected(status))),
        _ => return Err(refusal(&mut reply, quirks).await),
    }
    shown.phase = Phase::Stream;
    match reply.content_type().as_str() {
        "text/event-stream" | "" => read_stream(client, reply, shown).await,
        "application/json" => read_whole(reply, shown).await,
        other => Err(Failure::stop(Trouble::NotAnAnswer { content_type: other.into() })),
    }
}

/// A server's error, whether it comes as JSON, as a page or as a stream.
async fn refusal(reply: &mut Reply, quirks: Quirks) -> Failure {
    // The status alone says enough if the body does not come.
    let body = reply.error_body().await.unwrap_or_default();
    let streamed = reply.content_type() == "text/event-stream";
    let event = if streamed { first_event(&body) } else { None };
    let error = ServerError::read(event.as_deref().unwrap_or(&body));
    classify::by_status(&reply.head(), &error, quirks)
}

/// LiteLLM answers 500 with an event that holds the error.
fn first_event(body: &str) -> Option<String> {
    let mut decoder = Decoder::new();
    decoder.push(body.as_bytes());
    decoder.next_event().ok().flatten()
}

async fn read_whole(mut reply: Reply, shown: &mut Shown<'_>) -> Result<Complete, Failure> {
    let (body, whole) = reply.body(STREAM_BYTES).await.map_err(Failure::again)?;
    if !whole {
        return Err(damaged(SseError::StreamTooLong));
    }
    let body = String::from_utf8(body).map_err(|_| damaged(SseError::Utf8))?;
    shown.started();
    Assembler::default().take_whole(&body)
}

async fn read_stream(client: &Client, mut reply: Reply, shown: &mut Shown<'_>) -> Result<Complete, Failure> {
    let mut reader = Reader::new();
    let timeouts = client.timeouts();
    let first_event = Instant::now() + timeouts.first_event;
    loop {
        // Comments keep the connection alive, but not for ever.
        let bytes = if shown.started {
            reply.bytes().await
        } else {
            timeout_at(first_event, reply.bytes()).await.unwrap_or_else(|_| {
                Err(Trouble::Broken(format!("no answer within {} s", timeouts.first_event.as_secs_f64())))
            })
        };
        let Some(bytes) = bytes.map_err(Failure::again)? else { return Err(cut()) };
        if let Some(complete) = reader.take(bytes.as_ref(), shown)? {
            return Ok(complete);
        }
    }
}

/// Bytes of a stream in, text to show and one checked response out.
#[derive(Debug)]
struct Reader {
    decoder: Decoder,
    assembler: Assembler,
}

impl Reader {
    fn new() -> Self {
        Self { decoder: Decoder::new(), assembler: Assembler::default() }
    }

    /// Takes bytes; the response, once it is complete. What follows is not read.
    fn take(&mut self, bytes: &[u8], shown: &mut Shown<'_>) -> Result<Option<Complete>, Failure> {
        self.decoder.push(bytes);
        while let Some(event) = self.decoder.next_event().map_err(damaged)? {
            if !event.trim().is_empty() {
                shown.started();
            }
            match self.assembler.take(&event)? {
                Step::Quiet => {}
                Step::Show(progress) => shown.show(progress),
                Step::Complete(complete) => return Ok(Some(*complete)),
                Step::EndOfStream => return Err(cut()),
            }
        }
        Ok(None)
    }
}

/// The stream ended before its last event.
fn cut() -> Failure {
    Failure::again(Trouble::Broken("connection closed".into()))
}

fn damaged(error: SseError) -> Failure {
    let trouble = Trouble::Damaged { what: error.to_string() };
    match error {
        // A bad byte may have been damaged on its way.
        SseError::Utf8 => Failure::again(trouble),
        SseError::EventTooLong | SseError::StreamTooLong => Failure::stop(trouble),
    }
}

#[cfg(test)]
mod tests;
