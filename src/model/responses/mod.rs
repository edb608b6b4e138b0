//! The Responses protocol: `POST {base}/responses`, streamed.

mod assemble;
#[cfg(any(test, feature = "lab"))]
pub(super) mod attack;
mod attempt;
mod event;
mod input;
mod pairs;
mod request;
mod validate;
mod without_id;

pub(super) use validate::Unusable;

use super::classify::{Failure, Remedy};
use super::error::{SetupError, Trouble};
use super::http::Client;
use super::key::KeyOrigin;
use super::quirks::Quirks;
use super::retry::{Next, Schedule};
use super::sentence::Scene;
use super::{Answer, BaseUrl, Model, ModelError, Progress, Request, Timeouts, check_base_url};
use crate::config::ModelSettings;
use crate::record::ContextItem;
use assemble::Complete;
use attempt::{Shown, attempt};
use futures_util::future::BoxFuture;
use input::Recipient;
use secrecy::SecretString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The protocol's name in records and settings.
pub const PROTOCOL: &str = "responses";

/// A model behind the Responses protocol.
#[derive(Debug, Clone)]
pub struct ResponsesModel {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    model: String,
    /// The base URL as it is recorded.
    server: String,
    key_origin: KeyOrigin,
    client: Client,
    quirks: Mutex<Quirks>,
}

impl ResponsesModel {
    /// A model as the settings name it; nothing is sent yet.
    ///
    /// # Errors
    /// A sentence where the protocol, the base URL, the name or the form of the
    /// key cannot be used.
    pub fn new(
        settings: &ModelSettings,
        key: Option<SecretString>,
        timeouts: Timeouts,
    ) -> Result<Self, ModelError> {
        let base = Self::check(settings)?;
        let key_origin = KeyOrigin::of(settings);
        let server = base.to_string();
        let client = Client::new(base, key, &key_origin, timeouts)?;
        let model = settings.name.clone();
        let inner = Inner { model, server, key_origin, client, quirks: Mutex::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether the settings name a model at all, before a key is asked for;
    /// gives where it is.
    ///
    /// # Errors
    /// A sentence where the protocol, the name or the base URL cannot be used.
    pub fn check(settings: &ModelSettings) -> Result<BaseUrl, ModelError> {
        if settings.protocol != PROTOCOL {
            return Err(SetupError::Protocol(settings.protocol.clone()).into());
        }
        if settings.name.is_empty() {
            return Err(SetupError::NoModel.into());
        }
        check_base_url(&settings.base_url)
    }

    /// Where its requests go.
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        self.inner.client.base()
    }
}

impl Model for ResponsesModel {
    fn respond(
        &self,
        request: Request,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Answer, ModelError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(inner.scene(&request, 0).error(&Trouble::Cancelled)),
                answer = inner.respond(&request, &progress) => answer,
            }
        })
    }

    fn name(&self) -> String {
        self.inner.model.clone()
    }
}

impl Inner {
    /// Attempts until there is an answer or no hope.
    async fn respond(
        &self,
        request: &Request,
        progress: &UnboundedSender<Progress>,
    ) -> Result<Answer, ModelError> {
        let mut schedule = Schedule::new(self.client.timeouts().backoff);
        loop {
            let quirks = self.quirks();
            let to = Recipient { server: &self.server, model: &self.model, quirks };
            let body =
                request::body(request, to).map_err(|trouble| self.scene(request, 0).error(&trouble))?;
            let began = Instant::now();
            let mut shown = Shown::nothing(progress);
            let failure = match attempt(&self.client, body, quirks, &mut shown).await {
                Ok(complete) => return Ok(self.answer(complete, began)),
                Err(Failure { trouble, remedy }) => {
                    Failure { trouble: self.client.without_key(trouble), remedy }
                }
            };
            let wait = match self.after(&failure, &mut schedule, &shown) {
                Ok(wait) => wait,
                Err(trouble) => return Err(self.scene(request, shown.words).error(&trouble)),
            };
            if shown.anything {
                let _ = progress.send(Progress::Discarded);
            }
            if let Some(wait) = wait {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let _ = progress.send(Progress::Retrying { wait_ms, reason: failure.trouble.to_string() });
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// What follows a failure: a wait, another attempt at once, or the end.
    fn after(
        &self,
        failure: &Failure,
        schedule: &mut Schedule,
        shown: &Shown<'_>,
    ) -> Result<Option<Duration>, Trouble> {
        let again = match failure.remedy {
            Remedy::Stop => return Err(failure.trouble.clone()),
            Remedy::Without(quirk) => {
                let mut quirks = self.quirks.lock().unwrap_or_else(PoisonError::into_inner);
                *quirks = quirks.with(quirk);
                return Ok(None);
            }
            Remedy::Again(again) => again,
        };
        match schedule.next(shown.phase, again, random()) {
            Next::Wait(wait) => Ok(Some(wait)),
            Next::GiveUp => Err(failure.trouble.clone()),
            Next::AskedTooLong(wait) => {
                let (class, about) = (failure.trouble.class(), failure.trouble.to_string());
                Err(Trouble::AskedTooLong { wait, class, about })
            }
        }
    }

    fn answer(&self, complete: Complete, began: Instant) -> Answer {
        Answer {
            items: complete.items,
            protocol: PROTOCOL.into(),
            server: self.server.clone(),
            // The name that was asked for: servers answer with the name of a
            // snapshot, and what a model made must find its way back to it.
            model: self.model.clone(),
            response_id: complete.response_id,
            usage: complete.usage,
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn quirks(&self) -> Quirks {
        *self.quirks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scene<'a>(&'a self, request: &Request, words: usize) -> Scene<'a> {
        Scene {
            base: self.client.base(),
            model: &self.model,
            key_origin: &self.key_origin,
            key_sent: self.client.has_key(),
            words,
            ran_before: may_have_run(&request.input),
        }
    }
}

/// Whether something may have run in this turn. A message after a notice may have
/// joined the turn or opened one; then less is said.
fn may_have_run(input: &[ContextItem]) -> bool {
    matches!(
        input,
        [.., ContextItem::Result { .. }] | [.., ContextItem::Notice { .. }, ContextItem::User { .. }]
    )
}

/// A number from 0 to 1. Without a source of randomness half is as good as any.
fn random() -> f64 {
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}
