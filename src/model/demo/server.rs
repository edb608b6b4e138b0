//! The demo's server: as much HTTP/1.1 as one honest client needs.

use super::DEMO;
use super::conversation::{self, Said};
use super::events::{Numbers, events};
use super::script::reply;
use serde_json::json;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 64 << 10;
/// The longest body: a whole journal and what is written around it.
const BODY_BYTES: usize = 256 << 20;

/// A server on a port that the system chose. It ends when it is dropped, with
/// all its connections.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// What every connection needs.
struct Desk {
    token: String,
    pace: Duration,
}

/// A request, as far as it is looked at.
struct Incoming {
    line: String,
    authorized: bool,
    body: Vec<u8>,
}

impl Server {
    pub(super) async fn start(token: String, pace: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(serve(listener, Arc::new(Desk { token, pace })));
        Ok(Self { address, task })
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, desk: Arc<Desk>) {
    // Dropped with this task, and the connections with it.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                let desk = Arc::clone(&desk);
                connections.spawn(async move { desk.answer(stream).await });
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

impl Desk {
    /// One request, one answer, then the connection is closed.
    async fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let request = self.receive(&mut stream).await?;
        match request.line.as_str() {
            _ if !request.authorized => refuse(&mut stream, "401 Unauthorized", "wrong key").await,
            "POST /v1/responses" => self.respond(&mut stream, &request.body).await,
            "GET /v1/models" => {
                let models = json!({"object": "list", "data": [{"id": DEMO, "object": "model", "owned_by": "candor"}]});
                send_json(&mut stream, "200 OK", &models).await
            }
            _ => refuse(&mut stream, "404 Not Found", "there is nothing here").await,
        }
    }

    async fn receive(&self, stream: &mut TcpStream) -> io::Result<Incoming> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > HEAD_BYTES || stream.read_buf(&mut bytes).await? == 0 {
                return Err(io::ErrorKind::InvalidData.into());
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let header = |name: &str| {
            let named = |line: &str| {
                let (own, value) = line.split_once(':')?;
                own.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            };
            head.lines().skip(1).find_map(named)
        };
        let length = header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
        if length > BODY_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut body = bytes.split_off(end + 4);
        while body.len() < length {
            if stream.read_buf(&mut body).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let line = head.lines().next().and_then(|line| line.rsplit_once(' ')).map_or("", |(line, _)| line);
        let authorized = header("authorization") == Some(format!("Bearer {}", self.token));
        Ok(Incoming { line: line.to_owned(), authorized, body })
    }

    async fn respond(&self, stream: &mut TcpStream, body: &[u8]) -> io::Result<()> {
        let Some(conversation) = conversation::read(body) else {
            return refuse(stream, "400 Bad Request", "the body is not a conversation").await;
        };
        let calls = conversation.iter().filter(|said| matches!(said, Said::Call { .. })).count();
        let numbers = Numbers { items: conversation.len(), calls, bytes: conversation::bytes(body) };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).await?;
        for (kind, event) in events(&reply(&conversation), numbers) {
            stream.write_all(format!("event: {kind}\ndata: {event}\n\n").as_bytes()).await?;
            if kind == "response.output_text.delta" && !self.pace.is_zero() {
                tokio::time::sleep(self.pace).await;
            }
        }
        stream.shutdown().await
    }
}

async fn refuse(stream: &mut TcpStream, status: &str, message: &str) -> io::Result<()> {
    send_json(stream, status, &json!({"error": {"message": message, "type": "invalid_request_error"}})).await
}

async fn send_json(stream: &mut TcpStream, status: &str, body: &serde_json::Value) -> io::Result<()> {
    let body = body.to_string();
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}
