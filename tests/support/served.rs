//! The program as lines before a server that sends what a test says.

use crate::byte_server::{ByteServer, Step};
use crate::support::{Scratch, Terminal};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub type Script = Vec<Step>;

/// A server, the runtime that it lives on, and a person in front of the program.
pub struct Scene {
    pub terminal: Terminal,
    pub server: ByteServer,
    pub scratch: Scratch,
    _runtime: Runtime,
}

impl Scene {
    pub fn new(scripts: Vec<Script>) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(ByteServer::start(scripts)).unwrap();
        let scratch = Scratch::new();
        let base_url = format!("{}/v1", server.origin);
        let terminal = scratch.start(&["--plain", "--base-url", &base_url, "--model", "small"]);
        Self { terminal, server, scratch, _runtime: runtime }
    }

    /// Starts the program again on the session of the directory.
    pub fn start_again(&mut self) {
        let base_url = format!("{}/v1", self.server.origin);
        self.terminal = self.scratch.start(&["--plain", "-c", "--base-url", &base_url, "--model", "small"]);
    }

    /// The conversation of the last request, in the order in which it was sent.
    pub fn last_input(&self) -> Vec<Value> {
        let asked = self.server.asked();
        let body: Value = serde_json::from_slice(&asked.last().unwrap().body).unwrap();
        body["input"].as_array().unwrap().clone()
    }

    pub fn say(&mut self, message: &str) -> &mut Terminal {
        self.terminal.expect("\n> ").send(&format!("{message}\n"));
        &mut self.terminal
    }

    /// The message is given back; what ran and how the turns ended.
    pub fn goes_on(&mut self, message: &str) {
        self.terminal.expect(&format!("to send again if you want: {message}"));
        self.say("Once more").expect("Here it is.");
        self.terminal.expect("\n> ").send("\u{4}");
        assert_eq!(self.terminal.wait_exit(), 0);
        assert!(
            self.scratch.records("approval").is_empty() && self.scratch.records("tool_started").is_empty()
        );
    }

    pub fn turns(&self) -> Vec<String> {
        let ends = self.scratch.records("turn_ended");
        ends.iter().map(|end| end["status"].as_str().unwrap().to_owned()).collect()
    }
}

pub fn stream(events: &[Value]) -> Script {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    vec![Step::head("200 OK", "text/event-stream", &[]), Step::text(&text)]
}

pub fn completed(output: &[Value]) -> Value {
    json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": output}})
}

pub fn call(id: Option<&str>, arguments: &str) -> Value {
    let mut call =
        json!({"type": "function_call", "name": "bash", "arguments": arguments, "status": "completed"});
    if let Some(id) = id {
        call["call_id"] = id.into();
    }
    call
}

pub fn delta(text: &str) -> Value {
    json!({"type": "response.output_text.delta", "delta": text})
}

pub fn good() -> Script {
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Here it is.", "annotations": []}]});
    stream(&[delta("Here it is."), completed(&[message])])
}

/// A server that answers the first message so, often enough, and the next well.
pub fn bad_then_good(bad: &Script, attempts: usize) -> Scene {
    Scene::new([vec![bad.clone(); attempts], vec![good()]].concat())
}
