//! Settings, keys, and servers that are not there.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

/// An address on this machine where nobody listens, as long as the socket is held.
fn nobody() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let origin = format!("http://{}", socket.local_addr().unwrap());
    (socket, origin)
}

#[tokio::test]
async fn nobody_answers() {
    let (_socket, origin) = nobody();
    let model = ResponsesModel::new(&settings(&origin), None, timeouts()).unwrap();
    let (sender, receiver) = unbounded_channel();
    let error = model.respond(request(), sender, CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Transport);
    let sentence = format!(
        "Nothing answers at {origin}/v1 (connection refused). Start the server or choose another with /model."
    );
    assert_eq!(error.sentence, sentence);
    assert_eq!(retries(&all(receiver).await), [(0, "connection refused"); 4]);
}

#[tokio::test]
async fn a_server_that_does_not_encrypt_is_not_trusted_with_the_key() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = settings(&format!("https://{}", listener.local_addr().unwrap()));
    let once = Backoff { request_retries: 0, ..Backoff::default() };
    let model =
        ResponsesModel::new(&settings, Some(KEY.into()), Timeouts { backoff: once, ..timeouts() }).unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard).await;
        String::from_utf8_lossy(&heard).into_owned()
    });
    let error = model.respond(request(), unbounded_channel().0, CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Transport);
    if error.sentence.contains("cannot be set up") {
        println!("skipped: no root certificates here");
        return;
    }
    assert!(error.sentence.starts_with("No encrypted connection to https://127.0.0.1:"), "{error}");
    assert!(!server.await.unwrap().contains(KEY));
}

#[tokio::test]
async fn without_a_key_none_is_sent() {
    let server = ByteServer::start([refuses("401 Unauthorized", "")]).await.unwrap();
    let model = ResponsesModel::new(&settings(&server.origin), None, timeouts()).unwrap();
    let error = model.respond(request(), unbounded_channel().0, CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Auth);
    assert!(error.sentence.starts_with("The server wants a key (401). Set OPENAI_API_KEY"), "{error}");
    assert!(!server.asked()[0].head.to_ascii_lowercase().contains("authorization"));
}

#[test]
fn settings_that_cannot_work_are_refused_with_a_sentence() {
    let good = settings("http://127.0.0.1:1");
    let refused = |settings: &ModelSettings, key: Option<&str>| {
        let key = key.map(SecretString::from);
        ResponsesModel::new(settings, key, timeouts()).map(|_| ()).unwrap_err()
    };
    for key in ["sk-secret\n", "sk-\rsecret", "sk secret", "sk-secr\u{e9}t", "sk-\u{0}secret", ""] {
        let error = refused(&good, Some(key));
        assert_eq!(error.class, ErrorClass::NoKey);
        assert!(!format!("{error:?}").contains("secr"), "{error:?}");
    }
    let newline =
        "Candor cannot send the key in OPENAI_API_KEY: it holds a line break. Set it again, as one line.";
    assert_eq!(refused(&good, Some("sk\n")).sentence, newline);
    let chat = ModelSettings { protocol: "chat".into(), ..good.clone() };
    assert!(refused(&chat, None).sentence.contains("\"chat\""));
    let unnamed = ModelSettings { name: String::new(), ..good.clone() };
    assert!(refused(&unnamed, None).sentence.contains("No model is named"));
    let odd = ModelSettings { base_url: "ftp://host".into(), ..good };
    assert!(refused(&odd, None).sentence.contains("must begin with http:// or https://"));
}

#[tokio::test]
async fn a_list_of_models_is_read_in_both_shapes() {
    for body in
        [r#"{"data":[{"id":"a","owned_by":"x"},{"id":"b"}]}"#, r#"{"models":[{"name":"a"},{"name":"b"}]}"#]
    {
        let server = ByteServer::start([refuses("200 OK", body)]).await.unwrap();
        let models = list_models(&settings(&server.origin), Some(KEY.into())).await.unwrap();
        assert_eq!(models, ["a", "b"]);
        assert!(server.asked()[0].head.starts_with("GET /v1/models HTTP/1.1"));
        assert!(server.asked()[0].head.contains(KEY));
    }
    let server = ByteServer::start([refuses("200 OK", "[]")]).await.unwrap();
    assert_eq!(list_models(&settings(&server.origin), None).await.unwrap_err().class, ErrorClass::Server);
}

#[tokio::test]
async fn a_connection_is_tested_without_a_model_request() {
    let test = async |script| {
        let server = ByteServer::start([script]).await.unwrap();
        test_connection(&settings(&server.origin), Some(KEY.into())).await
    };
    let report = test(refuses("200 OK", r#"{"data":[{"id":"m"}]}"#)).await.unwrap();
    assert_eq!(report.models.as_deref(), Some(&["m".to_owned()][..]));
    let report = test(refuses("404 Not Found", "{}")).await.unwrap();
    assert_eq!(report.models, None);
    assert_eq!(test(refuses("401 Unauthorized", "{}")).await.unwrap_err().class, ErrorClass::Auth);
    assert_eq!(test(vec![]).await.unwrap_err().class, ErrorClass::Transport);
}

#[tokio::test]
async fn local_servers_are_found_where_they_answer() {
    let llama = ByteServer::start([refuses("200 OK", r#"{"data":[{"id":"q","owned_by":"llamacpp"}]}"#)]);
    let empty = ByteServer::start([refuses("200 OK", r#"{"data":[]}"#)]);
    let other = ByteServer::start([refuses("200 OK", "<html>")]);
    let (llama, empty, other) = tokio::try_join!(llama, empty, other).unwrap();
    let place = |origin: &str| format!("{origin}/v1");
    let (_socket, nobody) = nobody();
    let places = [
        ("vLLM", place(&llama.origin)),
        ("Ollama", place(&empty.origin)),
        ("LM Studio", place(&other.origin)),
        ("vLLM", place(&nobody)),
    ];
    let found = connection::probe(places).await;
    let expected =
        LocalServer { name: "llama.cpp", base_url: place(&llama.origin), models: vec!["q".into()] };
    assert_eq!(found, [expected]);
}
