//! A listener between the program and a real server: passes every request on
//! as it is and keeps it with the status of its answer.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request to the server and how it answered.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) body: serde_json::Value,
    pub(crate) status: u16,
}

/// The listener; its thread ends with the test program.
pub(crate) struct Recorder {
    /// Its address, as in `http://127.0.0.1:PORT`.
    pub(crate) origin: String,
    server: String,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

impl Recorder {
    /// Listens before the server at this address, as in `127.0.0.1:8080`.
    pub(crate) fn before(server: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let origin = format!("http://{}", listener.local_addr()?);
        let exchanges = Arc::<Mutex<Vec<Exchange>>>::default();
        let (to, kept) = (server.to_owned(), Arc::clone(&exchanges));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (to, kept) = (to.clone(), Arc::clone(&kept));
                // A client that is killed in the middle ends its own thread only.
                std::thread::spawn(move || pass_on(client, &to, &kept));
            }
        });
        Ok(Self { origin, server: server.to_owned(), exchanges })
    }

    /// The exchanges so far that asked for an answer, in the order of their answers.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.lock().unwrap().clone()
    }

    /// Sends this request to the server itself; its status and answer.
    pub(crate) fn ask(&self, body: &serde_json::Value) -> io::Result<(u16, String)> {
        let body = body.to_string();
        let mut server = TcpStream::connect(&self.server)?;
        write!(
            server,
            "POST /v1/responses HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.server,
            body.len()
        )?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        Ok((status_of(&answer), String::from_utf8_lossy(&answer).into_owned()))
    }
}

fn pass_on(mut client: TcpStream, to: &str, kept: &Mutex<Vec<Exchange>>) -> io::Result<()> {
    let (head, body) = receive(&mut client)?;
    let mut server = TcpStream::connect(to)?;
    // One request a connection, so that the answer ends with it.
    let head = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
    server.write_all(head.as_bytes())?;
    server.write_all(&body)?;
    let (mut piece, mut first) = ([0; 8192], true);
    loop {
        let count = server.read(&mut piece)?;
        if count == 0 {
            return Ok(());
        }
        if std::mem::take(&mut first)
            && let Ok(body) = serde_json::from_slice(&body)
        {
            kept.lock().unwrap().push(Exchange { body, status: status_of(&piece[..count]) });
        }
        client.write_all(&piece[..count])?;
    }
}

/// The head with its empty line, and the body.
fn receive(stream: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 8192]);
    let mut more = |bytes: &mut Vec<u8>| match stream.read(&mut piece)? {
        0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        count => {
            bytes.extend_from_slice(&piece[..count]);
            Ok(())
        }
    };
    let end = loop {
        more(&mut bytes)?;
        if let Some(at) = super::find(&bytes, b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        more(&mut bytes)?;
    }
    Ok((head, bytes.split_off(end)))
}

/// The number in `HTTP/1.1 200 OK`; 0 if it is something else.
fn status_of(answer: &[u8]) -> u16 {
    let digits = answer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}
