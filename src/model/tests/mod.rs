//! The whole way of a request, against a server that does what servers do.

#[path = "../../../tests/support/byte_server.rs"]
#[allow(unreachable_pub, dead_code)] // shared with the tests of the whole program
mod byte_server;

mod connecting;
mod refusing;
mod streaming;

use super::*;
use crate::config::ModelSettings;
use byte_server::{ByteServer, Step};
use secrecy::SecretString;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const KEY: &str = "sk-do-not-show-this";

/// A server and a model that asks it.
struct Pair {
    server: ByteServer,
    model: ResponsesModel,
}

/// Limits that no test reaches unless it means to, and waits that take no time.
fn timeouts() -> Timeouts {
    let long = Duration::from_secs(600);
    let backoff = Backoff { base: Duration::ZERO, overloaded_base: Duration::ZERO, ..Backoff::default() };
    Timeouts { connect: long, head: long, idle: long, first_event: long, backoff }
}

fn settings(origin: &str) -> ModelSettings {
    ModelSettings { base_url: format!("{origin}/v1"), name: "m".into(), ..ModelSettings::default() }
}

async fn pair(scripts: impl IntoIterator<Item = Vec<Step>>, timeouts: Timeouts) -> Pair {
    let server = ByteServer::start(scripts).await.unwrap();
    let key = SecretString::from(KEY);
    let model = ResponsesModel::new(&settings(&server.origin), Some(key), timeouts).unwrap();
    Pair { server, model }
}

fn request() -> Request {
    Request {
        session: SessionId::parse("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b").unwrap(),
        instructions: "Be careful.".into(),
        input: vec![ContextItem::User { text: "hello".into() }],
        tools: Vec::new(),
    }
}

impl Pair {
    /// Asks once; the end, and what was seen on the way.
    async fn ask(&self) -> (Result<Answer, ModelError>, Vec<Progress>) {
        let (sender, receiver) = unbounded_channel();
        let end = self.model.respond(request(), sender, CancellationToken::new()).await;
        (end, all(receiver).await)
    }
}

async fn all(mut receiver: UnboundedReceiver<Progress>) -> Vec<Progress> {
    let mut progress = Vec::new();
    while let Some(step) = receiver.recv().await {
        progress.push(step);
    }
    progress
}

/// The head of a streamed answer.
fn stream_head() -> Step {
    Step::head("200 OK", "text/event-stream; charset=utf-8", &[])
}

/// Events of an answer that says this text.
fn answer(text: &str) -> String {
    let item = format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#
    );
    let delta = delta(text);
    format!(
        "{delta}data: {{\"type\":\"response.completed\",\"response\":{{\"id\":\"r\",\"status\":\"completed\",\"output\":[{item}]}}}}\n\n"
    )
}

fn delta(text: &str) -> String {
    format!("data: {{\"type\":\"response.output_text.delta\",\"delta\":\"{text}\"}}\n\n")
}

/// A script that answers with this text.
fn answers(text: &str) -> Vec<Step> {
    vec![stream_head(), Step::text(&answer(text))]
}

/// A script that refuses with a JSON body.
fn refuses(status: &str, body: &str) -> Vec<Step> {
    vec![Step::head(status, "application/json", &[]), Step::text(body)]
}

fn text(answer: &Answer) -> String {
    let texts = answer.items.iter().filter_map(|item| match &item.kind {
        crate::record::ItemKind::Message { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn retries(progress: &[Progress]) -> Vec<(u64, &str)> {
    let retries = progress.iter().filter_map(|step| match step {
        Progress::Retrying { wait_ms, reason } => Some((*wait_ms, reason.as_str())),
        _ => None,
    });
    retries.collect()
}
