//! A server for tests that sends exactly the bytes it is told, when it is told.
//!
//! Every connection is one request, and gets the next script. What was asked is
//! kept. Nothing here knows a protocol above the framing of HTTP/1.1 requests.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

/// One thing that the server does with a connection. After the last one the
/// connection is closed in order.
#[derive(Debug, Clone)]
pub enum Step {
    /// Sends these bytes at once.
    Send(Vec<u8>),
    /// Sends these bytes so many at a time.
    Pieces(usize, Vec<u8>),
    /// Waits until the test calls [`ByteServer::go`].
    Wait,
    /// Sends nothing more and keeps the connection.
    Stall,
    /// Sends these bytes again and again, until the other side is gone.
    Forever(Vec<u8>),
    /// Breaks the connection with a reset.
    Reset,
}

impl Step {
    /// Sends this text at once.
    pub fn text(text: &str) -> Self {
        Self::Send(text.as_bytes().to_vec())
    }

    /// Sends the head of an answer: status, content type, further lines.
    pub fn head(status: &str, content_type: &str, more: &[&str]) -> Self {
        let more: String = more.iter().map(|line| format!("{line}\r\n")).collect();
        Self::text(&format!(
            "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{more}connection: close\r\n\r\n"
        ))
    }
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Request line and headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

/// The server. It ends when it is dropped.
#[derive(Debug)]
pub struct ByteServer {
    /// Its address, as in `http://127.0.0.1:PORT`.
    pub origin: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    scripts: Mutex<VecDeque<Vec<Step>>>,
    asked: Mutex<Vec<Asked>>,
    signals: Semaphore,
}

impl ByteServer {
    /// Starts a server with a script for each connection that will come.
    pub async fn start(scripts: impl IntoIterator<Item = Vec<Step>>) -> io::Result<Self> {
        Self::start_at(0, scripts).await
    }

    /// The same on this port; 0: any.
    pub async fn start_at(port: u16, scripts: impl IntoIterator<Item = Vec<Step>>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let scripts = Mutex::new(scripts.into_iter().collect());
        let shared = Arc::new(Shared { scripts, asked: Mutex::default(), signals: Semaphore::new(0) });
        let task = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { origin, shared, task })
    }

    /// Lets one waiting connection go on.
    pub fn go(&self) {
        self.shared.signals.add_permits(1);
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        locked(&self.shared.asked).clone()
    }
}

impl Drop for ByteServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        connections.spawn(async move { shared.answer(stream).await });
    }
}

impl Shared {
    async fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let asked = receive(&mut stream).await?;
        locked(&self.asked).push(asked);
        // Without a script the connection is closed without an answer.
        let script = locked(&self.scripts).pop_front().unwrap_or_default();
        for step in script {
            match step {
                Step::Send(bytes) => stream.write_all(&bytes).await?,
                Step::Pieces(size, bytes) => {
                    for piece in bytes.chunks(size) {
                        stream.write_all(piece).await?;
                        tokio::task::yield_now().await;
                    }
                }
                Step::Wait => match self.signals.acquire().await {
                    Ok(signal) => signal.forget(),
                    Err(_) => return Ok(()),
                },
                Step::Stall => std::future::pending().await,
                Step::Forever(bytes) => loop {
                    stream.write_all(&bytes).await?;
                    tokio::task::yield_now().await;
                },
                Step::Reset => return stream.set_zero_linger(),
            }
        }
        stream.shutdown().await
    }
}

async fn receive(stream: &mut TcpStream) -> io::Result<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = bytes.split_off(end + 4);
    while body.len() < length.unwrap_or(0) {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Asked { head, body })
}
