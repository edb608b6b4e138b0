//! Answers that come, in whatever pieces, and answers that break off.

use super::*;

#[tokio::test]
async fn an_answer_comes_in_any_pieces() {
    for piece in [1, 7, 4096] {
        let script = vec![stream_head(), Step::Pieces(piece, answer("grüße 😀").into_bytes())];
        let pair = pair([script], timeouts()).await;
        let (end, progress) = pair.ask().await;
        let end = end.unwrap();
        assert_eq!(text(&end), "grüße 😀");
        assert_eq!((end.protocol.as_str(), end.model.as_str()), ("responses", "m"));
        assert_eq!(end.server, format!("{}/v1", pair.server.origin));
        assert_eq!(end.response_id.as_deref(), Some("r"));
        assert_eq!(progress, [Progress::Started, Progress::Text("grüße 😀".into())]);
    }
}

#[tokio::test]
async fn the_request_is_what_was_said_and_the_key_is_in_its_header_only() {
    let pair = pair([answers("hi")], timeouts()).await;
    pair.ask().await.0.unwrap();
    let asked = &pair.server.asked()[0];
    let head = asked.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/responses http/1.1"), "{head}");
    for line in [
        format!("authorization: bearer {KEY}"),
        "content-type: application/json".into(),
        "accept: text/event-stream".into(),
    ] {
        assert!(head.contains(&line), "{head}");
    }
    assert!(!head.contains("accept-encoding"), "{head}");
    assert!(!String::from_utf8_lossy(&asked.body).contains(KEY));
}

#[tokio::test]
async fn text_is_shown_before_the_answer_is_complete_and_the_end_of_the_connection_is_not_waited_for() {
    let script = vec![
        stream_head(),
        Step::text(&delta("one ")),
        Step::Wait,
        Step::text(&answer("one two")),
        Step::text("data: what follows is not read \u{0}\n\n"),
        Step::Stall,
    ];
    let pair = pair([script], timeouts()).await;
    let (sender, mut receiver) = unbounded_channel();
    let end = tokio::spawn(pair.model.respond(request(), sender, CancellationToken::new()));
    assert_eq!(receiver.recv().await, Some(Progress::Started));
    assert_eq!(receiver.recv().await, Some(Progress::Text("one ".into())));
    pair.server.go();
    assert_eq!(text(&end.await.unwrap().unwrap()), "one two");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = r#"{"id":"r","status":"completed","output":[{"type":"message","content":"hi"}]}"#;
    let pair_whole = pair([refuses("200 OK", whole)], timeouts()).await;
    assert_eq!(text(&pair_whole.ask().await.0.unwrap()), "hi");
    let failed = refuses("200 OK", r#"{"error":{"code":"insufficient_quota","message":"empty"}}"#);
    let pair_failed = pair([failed], timeouts()).await;
    assert_eq!(pair_failed.ask().await.0.unwrap_err().class, ErrorClass::Quota);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_again_and_what_was_shown_is_void() {
    for (end, reason) in [(Step::Reset, "connection reset"), (Step::text(""), "connection closed")] {
        let broken = vec![stream_head(), Step::text(&delta("half an")), Step::Wait, end];
        let pair = pair([broken, answers("whole")], timeouts()).await;
        let (sender, mut receiver) = unbounded_channel();
        let answer = tokio::spawn(pair.model.respond(request(), sender, CancellationToken::new()));
        while receiver.recv().await != Some(Progress::Text("half an".into())) {}
        pair.server.go();
        assert_eq!(text(&answer.await.unwrap().unwrap()), "whole");
        let expected = [
            Progress::Discarded,
            Progress::Retrying { wait_ms: 0, reason: reason.into() },
            Progress::Started,
            Progress::Text("whole".into()),
        ];
        assert_eq!(all(receiver).await, expected);
        let asked = pair.server.asked();
        assert_eq!(asked[0].body, asked[1].body, "the same bytes are sent again");
    }
}

#[tokio::test]
async fn after_three_broken_answers_more_it_stops_and_says_how_far_it_came() {
    let broken = || vec![stream_head(), Step::text(&delta("one two three"))];
    let pair = pair(std::iter::repeat_with(broken).take(9), timeouts()).await;
    let (end, progress) = pair.ask().await;
    let error = end.unwrap_err();
    assert_eq!(error.class, ErrorClass::Transport);
    let sentence = "The answer broke off after 3 words (connection closed). Nothing was run; your message is in the composer.";
    assert_eq!(error.sentence, sentence);
    assert_eq!(retries(&progress).len(), 3);
    assert_eq!(pair.server.asked().len(), 4);
}

#[tokio::test]
async fn damage_on_the_way_is_asked_again_and_an_unusable_answer_is_not() {
    let damaged = vec![stream_head(), Step::Send(b"data: \xff\n\n".to_vec())];
    let pair_damaged = pair([damaged, answers("whole")], timeouts()).await;
    let (end, progress) = pair_damaged.ask().await;
    assert_eq!(text(&end.unwrap()), "whole");
    assert_eq!(retries(&progress), [(0, "damaged answer")]);

    let empty =
        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n";
    let pair_empty = pair([vec![stream_head(), Step::text(empty)], answers("whole")], timeouts()).await;
    let error = pair_empty.ask().await.0.unwrap_err();
    assert_eq!(error.class, ErrorClass::Invalid);
    assert_eq!(error.sentence, "The answer cannot be used: it is empty. Nothing was run.");
    assert_eq!(pair_empty.server.asked().len(), 1);
}

#[tokio::test]
async fn stopping_works_at_every_moment() {
    let waiting =
        Backoff { base: Duration::from_secs(3600), cap: Duration::from_secs(3600), ..Backoff::default() };
    for (script, seen) in [
        (vec![Step::Stall], None),
        (vec![stream_head(), Step::Stall], None),
        (vec![stream_head(), Step::text(&delta("a")), Step::Stall], Some(Progress::Text("a".into()))),
        // In the wait before another attempt.
        (
            refuses("500 Internal Server Error", ""),
            Some(Progress::Retrying { wait_ms: 0, reason: "500".into() }),
        ),
    ] {
        let pair = pair([script], Timeouts { backoff: waiting, ..timeouts() }).await;
        let (sender, mut receiver) = unbounded_channel();
        let cancel = CancellationToken::new();
        let end = tokio::spawn(pair.model.respond(request(), sender, cancel.clone()));
        if let Some(seen) = seen {
            let same = |step: &Progress| std::mem::discriminant(step) == std::mem::discriminant(&seen);
            while !receiver.recv().await.is_some_and(|step| same(&step)) {}
        }
        cancel.cancel();
        assert_eq!(end.await.unwrap().unwrap_err().class, ErrorClass::Cancelled);
    }
}

#[tokio::test]
async fn silence_ends_an_attempt() {
    let short = Duration::from_millis(20);
    let once = Backoff { request_retries: 0, stream_retries: 0, ..Backoff::default() };
    let base = Timeouts { backoff: once, ..timeouts() };
    let comment = b": still here\n\n".to_vec();
    let event = Step::text(&delta("a"));
    for (script, timeouts, reason) in [
        (vec![Step::Stall], Timeouts { head: short, ..base }, "silent for 0.02 s"),
        (vec![stream_head(), event, Step::Stall], Timeouts { idle: short, ..base }, "silent for 0.02 s"),
        // Comments are life, but no answer.
        (
            vec![stream_head(), Step::Forever(comment)],
            Timeouts { first_event: short, ..base },
            "no answer within 0.02 s",
        ),
    ] {
        let error = pair([script], timeouts).await.ask().await.0.unwrap_err();
        assert_eq!(error.class, ErrorClass::Transport);
        assert!(error.sentence.contains(reason), "{error}");
    }
}
