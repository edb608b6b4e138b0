//! The way to a server: one client, its limits, and the key, which never leaves
//! but in its header.

mod cause;

use super::base_url::BaseUrl;
use super::classify::Head;
use super::error::{SetupError, Trouble};
use super::key::KeyOrigin;
use super::server_error::BODY_BYTES;
use super::{Timeouts, wait_hint};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::future::Future;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// What is shorter is no secret but a placeholder, such as `none`, and may well be
/// a word of an ordinary sentence.
const SECRET_BYTES: usize = 8;

/// A key in the form of its header, and as it is, to be able to take it out of
/// what a server says.
struct Key {
    secret: SecretString,
    header: HeaderValue,
}

/// A client for one server. It is set up when it is first used: that takes
/// milliseconds that the first paint must not wait for.
pub(super) struct Client {
    base: BaseUrl,
    key: Option<Key>,
    timeouts: Timeouts,
    client: OnceCell<reqwest::Client>,
}

/// An answer whose head is here.
pub(super) struct Reply {
    response: reqwest::Response,
    idle: Duration,
}

impl Client {
    /// A client; nothing is sent.
    pub(super) fn new(
        base: BaseUrl,
        key: Option<SecretString>,
        origin: &KeyOrigin,
        timeouts: Timeouts,
    ) -> Result<Self, SetupError> {
        let key = key.map(|secret| Key::new(secret, origin)).transpose()?;
        Ok(Self { base, key, timeouts, client: OnceCell::new() })
    }

    pub(super) fn base(&self) -> &BaseUrl {
        &self.base
    }

    pub(super) fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    pub(super) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Sends a JSON body and waits for the head of the answer.
    pub(super) async fn post(&self, path: &str, body: Vec<u8>) -> Result<Reply, Trouble> {
        let request = self.client().await?.post(self.base.join(path)).body(body);
        self.send(request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream")).await
    }

    /// Asks and waits for the head of the answer.
    pub(super) async fn get(&self, path: &str) -> Result<Reply, Trouble> {
        self.send(self.client().await?.get(self.base.join(path)).header(ACCEPT, "application/json")).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Reply, Trouble> {
        let request = match &self.key {
            Some(key) => request.header(AUTHORIZATION, key.header.clone()),
            None => request,
        };
        let response = within(self.timeouts.head, request.send()).await?;
        Ok(Reply { response, idle: self.timeouts.idle })
    }

    async fn client(&self) -> Result<&reqwest::Client, Trouble> {
        self.client.get_or_try_init(|| async { self.build() }).await
    }

    fn build(&self) -> Result<reqwest::Client, Trouble> {
        // Another client of this process may have been first; then it is there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("candor/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.timeouts.connect)
            // A key must not follow to wherever a server points.
            .redirect(Policy::none());
        if self.base.is_loopback() {
            builder = builder.no_proxy();
            if !self.base.is_encrypted() {
                // No certificate will be looked at, so none needs to be loaded.
                builder = builder.tls_certs_only([]);
            }
        }
        builder.build().map_err(|error| cause::of_setup(&error))
    }

    /// The same trouble without the key, should the server have repeated it. To
    /// be called before anything is cut, or a part of it could remain.
    pub(super) fn without_key(&self, trouble: Trouble) -> Trouble {
        match &self.key {
            Some(key) if key.secret.expose_secret().len() >= SECRET_BYTES => {
                trouble.map_words(|text| text.replace(key.secret.expose_secret(), "(the key)"))
            }
            Some(_) | None => trouble,
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.base)
            .field("has_key", &self.has_key())
            .finish_non_exhaustive()
    }
}

impl Key {
    fn new(secret: SecretString, origin: &KeyOrigin) -> Result<Self, SetupError> {
        let bad = |what| SetupError::KeyForm { origin: origin.clone(), what };
        let text = secret.expose_secret();
        if text.is_empty() {
            return Err(bad("nothing"));
        }
        if text.contains(['\n', '\r']) {
            return Err(bad("a line break"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("a space or another character that no key has"));
        }
        let mut header = HeaderValue::from_str(&format!("Bearer {text}"))
            .map_err(|_| bad("a character that no key has"))?;
        header.set_sensitive(true);
        Ok(Self { secret, header })
    }
}

impl Reply {
    pub(super) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Its content type without parameters, in lower case; empty if there is none.
    pub(super) fn content_type(&self) -> String {
        let value = header(self.response.headers(), CONTENT_TYPE.as_str()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// What the head says about trouble.
    pub(super) fn head(&self) -> Head {
        let headers = self.response.headers();
        let now = jiff::Timestamp::now().as_millisecond();
        Head {
            status: self.status(),
            wait: wait_hint::from_headers(|name| header(headers, name), now),
            should_retry: header(headers, "x-should-retry").and_then(|value| value.parse().ok()),
            request_id: header(headers, "x-request-id")
                .or_else(|| header(headers, "request-id"))
                .map(String::from),
        }
    }

    /// The next bytes; none at the end.
    pub(super) async fn bytes(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, Trouble> {
        within(self.idle, self.response.chunk()).await
    }

    /// The first bytes of the body, up to `limit`; with false if there are more.
    pub(super) async fn body(&mut self, limit: usize) -> Result<(Vec<u8>, bool), Trouble> {
        let mut body = Vec::new();
        while let Some(bytes) = self.bytes().await? {
            let room = limit - body.len();
            let bytes = bytes.as_ref();
            body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            if bytes.len() > room {
                return Ok((body, false));
            }
        }
        Ok((body, true))
    }

    /// The beginning of the body of a refusal.
    pub(super) async fn error_body(&mut self) -> Result<String, Trouble> {
        let (body, _) = self.body(BODY_BYTES).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// What comes, or why nothing does.
async fn within<T>(
    limit: Duration,
    future: impl Future<Output = Result<T, reqwest::Error>>,
) -> Result<T, Trouble> {
    match timeout(limit, future).await {
        Ok(result) => result.map_err(|error| cause::of_failure(&error)),
        Err(_) => Err(Trouble::Broken(format!("silent for {} s", limit.as_secs_f64()))),
    }
}
