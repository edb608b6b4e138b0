//! The demo through the whole way of any model: request, wire, stream, checks.

use super::*;
use crate::record::{CallId, ContextItem, Item, ItemKind, Maker, SessionId};
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

fn request(input: Vec<ContextItem>) -> Request {
    Request {
        session: SessionId::parse("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b").unwrap(),
        instructions: "Be careful.".into(),
        input,
        tools: Vec::new(),
    }
}

fn user(text: &str) -> ContextItem {
    ContextItem::User { text: text.into() }
}

async fn ask(demo: &DemoModel, input: Vec<ContextItem>) -> (Answer, UnboundedReceiver<Progress>) {
    let (sender, receiver) = unbounded_channel();
    let answer = demo.respond(request(input), sender, CancellationToken::new()).await.unwrap();
    (answer, receiver)
}

fn text(answer: &Answer) -> String {
    let texts = answer.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Message { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn commands(answer: &Answer) -> Vec<(CallId, String)> {
    let calls = answer.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Call { call_id, arguments, .. } => {
            let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
            Some((call_id.clone(), arguments["command"].as_str().unwrap().to_owned()))
        }
        _ => None,
    });
    calls.collect()
}

/// The items of an answer and one result, as the next request has them.
fn with_result(answer: &Answer, output: &str) -> Vec<ContextItem> {
    let maker = Arc::new(Maker {
        protocol: answer.protocol.clone(),
        server: Some(answer.server.clone()),
        model: Some(answer.model.clone()),
    });
    let model = |item: &Item| ContextItem::Model { item: item.clone(), maker: Arc::clone(&maker) };
    let result = |(call_id, _): (CallId, String)| ContextItem::Result { call_id, output: output.into() };
    answer.items.iter().map(model).chain(commands(answer).into_iter().map(result)).collect()
}

#[tokio::test]
async fn a_turn_with_a_call_and_its_result() {
    let demo = DemoModel::start_with_pace(Duration::ZERO).await.unwrap();
    let mut input = vec![user("Add milk to shopping.txt.")];
    let (answer, mut progress) = ask(&demo, input.clone()).await;
    assert_eq!(text(&answer), "I'll append it.");
    let calls = commands(&answer);
    assert_eq!(calls[0].1, "echo milk >> shopping.txt");
    assert_eq!(answer.model, "demo");
    assert!(answer.usage.is_some_and(|usage| usage.input > Some(0)));
    let mut shown = String::new();
    assert_eq!(progress.recv().await, Some(Progress::Started));
    while let Some(Progress::Text(text)) = progress.recv().await {
        shown.push_str(&text);
    }
    assert_eq!(shown, "I'll append it.");

    input.extend(with_result(&answer, r#"{"status":"completed","exit_code":0,"output":""}"#));
    let (answer, _) = ask(&demo, input).await;
    assert_eq!(text(&answer), "`echo milk >> shopping.txt` completed with exit code 0.");
    assert_eq!(commands(&answer), []);
}

#[tokio::test]
async fn the_same_conversation_gets_the_same_answer() {
    let (one, other) =
        tokio::join!(DemoModel::start_with_pace(Duration::ZERO), DemoModel::start_with_pace(Duration::ZERO));
    let raw = |answer: &Answer| answer.items.iter().map(|item| item.raw.get().to_owned()).collect::<Vec<_>>();
    let input = || vec![user("Run: true\nRun: false")];
    let (one, other) = (ask(&one.unwrap(), input()).await.0, ask(&other.unwrap(), input()).await.0);
    assert_eq!(raw(&one), raw(&other));
    let calls = commands(&one);
    assert_eq!((calls[0].1.as_str(), calls[1].1.as_str()), ("true", "false"));
    assert_ne!(calls[0].0, calls[1].0);
}

#[tokio::test]
async fn a_slow_answer_can_be_stopped_at_once() {
    let demo = DemoModel::start_with_pace(Duration::from_secs(3600)).await.unwrap();
    let (sender, mut progress) = unbounded_channel();
    let cancel = CancellationToken::new();
    let answer = tokio::spawn(demo.respond(request(vec![user("Stream 9 words")]), sender, cancel.clone()));
    while !matches!(progress.recv().await, Some(Progress::Text(_))) {}
    cancel.cancel();
    let error = answer.await.unwrap().unwrap_err();
    assert_eq!(error.class, crate::model::ErrorClass::Cancelled);
}

#[tokio::test]
async fn another_key_is_refused_and_the_server_ends_with_its_model() {
    let demo = DemoModel::start_with_pace(Duration::ZERO).await.unwrap();
    let base = demo.model.base_url().clone();
    let settings =
        ModelSettings { base_url: base.to_string(), name: DEMO.into(), ..ModelSettings::default() };
    let mut timeouts = Timeouts::brief(&base);
    timeouts.backoff.request_retries = 0;
    let stranger = ResponsesModel::new(&settings, Some("guessed".into()), timeouts).unwrap();
    let ask =
        || stranger.respond(request(vec![user("hello")]), unbounded_channel().0, CancellationToken::new());
    assert_eq!(ask().await.unwrap_err().class, crate::model::ErrorClass::Auth);
    drop(demo);
    tokio::task::yield_now().await;
    assert_eq!(ask().await.unwrap_err().class, crate::model::ErrorClass::Transport);
}
