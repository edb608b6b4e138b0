//! Servers that say no, and what is learnt from that.

use super::*;

#[tokio::test]
async fn a_busy_server_is_asked_again_and_every_wait_is_shown() {
    let busy = refuses("503 Service Unavailable", r#"{"error":{"message":"loading"}}"#);
    let pair = pair([busy.clone(), busy, answers("hi")], timeouts()).await;
    let (end, progress) = pair.ask().await;
    assert_eq!(text(&end.unwrap()), "hi");
    assert_eq!(retries(&progress), [(0, "503"), (0, "503")]);
    assert!(!progress.contains(&Progress::Discarded), "nothing had been shown");
}

#[tokio::test]
async fn five_refusals_are_enough() {
    let busy = || refuses("500 Internal Server Error", "");
    let pair = pair(std::iter::repeat_with(busy).take(9), timeouts()).await;
    let error = pair.ask().await.0.unwrap_err();
    assert_eq!(error.class, ErrorClass::Server);
    assert_eq!(pair.server.asked().len(), 5);
}

#[tokio::test]
async fn what_the_server_asks_to_wait_is_waited_or_said() {
    let limited =
        |line: &str| vec![Step::head("429 Too Many Requests", "application/json", &[line]), Step::text("{}")];
    let pair_short = pair([limited("retry-after-ms: 3"), answers("hi")], timeouts()).await;
    let (end, progress) = pair_short.ask().await;
    assert!(end.is_ok());
    assert_eq!(retries(&progress), [(3, "429")]);

    let pair_long = pair([limited("retry-after: 61"), answers("hi")], timeouts()).await;
    let error = pair_long.ask().await.0.unwrap_err();
    assert_eq!(error.class, ErrorClass::Rate);
    assert_eq!(error.sentence, "The server asks to wait 61 s (429). Nothing was run; send it again then.");
    assert_eq!(pair_long.server.asked().len(), 1);
}

#[tokio::test]
async fn a_refused_parameter_is_left_out_from_then_on() {
    let refusal = |name: &str| {
        refuses("400 Bad Request", &format!(r#"{{"error":{{"message":"no","param":"{name}"}}}}"#))
    };
    let pair = pair([refusal("include"), refusal("store"), answers("one"), answers("two")], timeouts()).await;
    let (end, progress) = pair.ask().await;
    assert_eq!(text(&end.unwrap()), "one");
    assert_eq!(retries(&progress), [], "nobody waits");
    assert_eq!(text(&pair.ask().await.0.unwrap()), "two");
    let has = |index: usize, name: &str| {
        let body: serde_json::Value = serde_json::from_slice(&pair.server.asked()[index].body).unwrap();
        body.get(name).is_some()
    };
    let sent: Vec<_> = (0..4).map(|index| (has(index, "include"), has(index, "store"))).collect();
    assert_eq!(sent, [(true, true), (false, true), (false, false), (false, false)]);
}

#[tokio::test]
async fn the_same_complaint_twice_is_final() {
    let refusal = || refuses("400 Bad Request", r#"{"error":{"message":"no","param":"include"}}"#);
    let pair = pair(std::iter::repeat_with(refusal).take(9), timeouts()).await;
    assert_eq!(pair.ask().await.0.unwrap_err().class, ErrorClass::Request);
    assert_eq!(pair.server.asked().len(), 2);
}

#[tokio::test]
async fn a_refusal_that_comes_as_a_stream_is_read() {
    let event = "data: {\"error\":{\"message\":\"no such thing\",\"code\":\"insufficient_quota\"}}\n\ndata: [DONE]\n\n";
    let script = vec![Step::head("429 Too Many Requests", "text/event-stream", &[]), Step::text(event)];
    let error = pair([script], timeouts()).await.ask().await.0.unwrap_err();
    assert_eq!(error.class, ErrorClass::Quota);
    assert!(error.sentence.contains("no such thing"), "{error}");
}

#[tokio::test]
async fn a_key_does_not_follow_a_redirect() {
    let other = ByteServer::start([]).await.unwrap();
    let location = format!("location: {}/v1/responses", other.origin);
    let script = vec![Step::head("307 Temporary Redirect", "text/html", &[&location])];
    let error = pair([script], timeouts()).await.ask().await.0.unwrap_err();
    assert_eq!(error.class, ErrorClass::Request);
    assert!(error.sentence.contains("sends elsewhere (307)"), "{error}");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn a_login_page_is_no_answer() {
    let script = vec![Step::head("200 OK", "text/html", &[]), Step::text("<html>Please log in</html>")];
    let pair = pair([script, answers("hi")], timeouts()).await;
    let error = pair.ask().await.0.unwrap_err();
    assert!(error.sentence.contains("is no answer of a model but text/html"), "{error}");
    assert_eq!(pair.server.asked().len(), 1);
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_get_it_onto_the_screen() {
    // At the end of what is shown, so that a cut would leave a part of it.
    let message = format!("{}{KEY}", "x".repeat(290));
    let body = format!(r#"{{"error":{{"message":"{message}","code":"{KEY}"}}}}"#);
    for status in
        ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "422 Unprocessable"]
    {
        let pair = pair([refuses(status, &body)], timeouts()).await;
        let (end, progress) = pair.ask().await;
        let shown = format!("{end:?} {progress:?} {:?}", pair.model);
        assert!(!shown.contains(&KEY[..8]), "{shown}");
    }
    let event = format!("data: {{\"type\":\"error\",\"code\":\"{KEY}\",\"message\":\"{KEY}\"}}\n\n");
    let script = || vec![stream_head(), Step::text(&event)];
    let pair = pair(std::iter::repeat_with(script).take(4), timeouts()).await;
    let (end, progress) = pair.ask().await;
    let shown = format!("{end:?} {progress:?}");
    assert!(!shown.contains(&KEY[..8]), "{shown}");
}
