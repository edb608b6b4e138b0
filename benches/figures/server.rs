//! A model on 127.0.0.1 that says what a bench wants, and knows when it was asked.

use serde_json::{Value, json};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// What is said to a request.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A text.
    Text(String),
    /// A call of bash.
    Run(String),
    /// So many deltas a second for so long, then all of it.
    Stream { rate: u32, time: Duration },
}

/// What a stream says each time; every so often a paragraph ends.
const DELTA: &str = "words ";
const END: &str = "here.\n\n";
const PARAGRAPH: usize = 100;

pub(crate) struct Server {
    pub(crate) base_url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    asked: Mutex<Vec<SystemTime>>,
    news: Condvar,
}

impl Server {
    /// Answers the requests one after another with these, the last one again and again.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        let told = Arc::clone(&shared);
        std::thread::spawn(move || {
            let mut number = 0;
            while let Ok((mut stream, _)) = listener.accept() {
                let Ok(request) = receive(&mut stream, &told) else { continue };
                if !request.starts_with(b"POST") {
                    continue;
                }
                let answer = &answers[number.min(answers.len() - 1)];
                number += 1;
                // A person who left hears nothing.
                let _ = reply(&mut stream, answer, number);
            }
        });
        Self { base_url, shared }
    }

    /// When that request came; waits for it.
    pub(crate) fn asked(&self, number: usize) -> SystemTime {
        let asked = self.shared.asked.lock().unwrap();
        let patience = Duration::from_secs(60);
        let lacking = |asked: &mut Vec<SystemTime>| asked.len() <= number;
        let (asked, waited) = self.shared.news.wait_timeout_while(asked, patience, lacking).unwrap();
        assert!(!waited.timed_out(), "request {number} never came");
        asked[number]
    }
}

fn receive(stream: &mut TcpStream, shared: &Shared) -> io::Result<Vec<u8>> {
    stream.set_nodelay(true)?;
    let mut bytes = vec![0; 64 << 10];
    let mut length = stream.read(&mut bytes)?;
    let at = SystemTime::now();
    loop {
        let text = String::from_utf8_lossy(&bytes[..length]).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let wanted =
                head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= wanted.unwrap_or(0) {
                break;
            }
        }
        if length == bytes.len() {
            bytes.resize(length * 2, 0);
        }
        let count = stream.read(&mut bytes[length..])?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        length += count;
    }
    bytes.truncate(length);
    if bytes.starts_with(b"POST") {
        shared.asked.lock().unwrap().push(at);
        shared.news.notify_all();
    }
    Ok(bytes)
}

fn reply(stream: &mut TcpStream, answer: &Answer, number: usize) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let items = match answer {
        Answer::Text(text) => {
            send(stream, &delta(text))?;
            vec![super::homes::message(text)]
        }
        Answer::Run(command) => {
            let arguments = json!({ "command": command }).to_string();
            vec![json!({"type": "function_call", "name": "bash", "call_id": format!("call_{number}"),
                "arguments": arguments, "status": "completed"})]
        }
        Answer::Stream { rate, time } => vec![super::homes::message(&flood(stream, *rate, *time)?)],
    };
    send(
        stream,
        &json!({"type": "response.completed",
        "response": {"id": format!("resp_{number}"), "status": "completed", "output": items}}),
    )?;
    stream.shutdown(std::net::Shutdown::Both)
}

/// Sends deltas at this rate; all that was said.
fn flood(stream: &mut TcpStream, rate: u32, time: Duration) -> io::Result<String> {
    let said = |number: usize| if number % PARAGRAPH == PARAGRAPH - 1 { END } else { DELTA };
    let (begun, mut sent) = (Instant::now(), 0);
    while begun.elapsed() < time {
        let due = (begun.elapsed().as_secs_f64() * f64::from(rate)) as usize;
        let events: String = (sent..due).map(|number| format!("data: {}\n\n", delta(said(number)))).collect();
        stream.write_all(events.as_bytes())?;
        sent = due;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok((0..sent).map(said).collect())
}

fn delta(text: &str) -> Value {
    json!({"type": "response.output_text.delta", "delta": text})
}

fn send(stream: &mut TcpStream, event: &Value) -> io::Result<()> {
    stream.write_all(format!("data: {event}\n\n").as_bytes())
}
