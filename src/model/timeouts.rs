//! How long the client waits for what, as data, so that tests can shorten it.

use super::BaseUrl;
use super::retry::Backoff;
use std::time::Duration;

/// How long the client waits before it gives an attempt up. There is no limit
/// on a whole answer: the person can stop it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// From the request to the head of the answer.
    pub head: Duration,
    /// Between two bytes of the answer; comments count.
    pub idle: Duration,
    /// From the head to the first event that says something. DeepSeek sends
    /// comments for up to ten minutes before it begins.
    pub first_event: Duration,
    /// Between attempts.
    pub backoff: Backoff,
}

impl Timeouts {
    /// For this server: a local one loads and reads the prompt before it answers.
    #[must_use]
    pub fn for_server(base: &BaseUrl) -> Self {
        Self {
            connect: Duration::from_secs(10),
            head: Duration::from_secs(if base.is_loopback() { 300 } else { 60 }),
            idle: Duration::from_secs(300),
            first_event: Duration::from_secs(600),
            backoff: Backoff::default(),
        }
    }

    /// For a question whose answer is small and made at once, such as a list.
    #[must_use]
    pub fn brief(base: &BaseUrl) -> Self {
        let short = Duration::from_secs(if base.is_loopback() { 2 } else { 10 });
        Self { connect: short, head: short, idle: short, first_event: short, backoff: Backoff::default() }
    }
}
