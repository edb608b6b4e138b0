//! A reply as the events of a Responses stream, in the order of the original.

use super::DEMO;
use super::script::{BashCall, Reply};
use serde_json::{Value, json};

/// What the ids and numbers of a response are made from, so that the same
/// conversation always gets the same bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    /// Items in the request.
    pub(super) items: usize,
    /// Calls in the request.
    pub(super) calls: usize,
    /// Bytes of what was said; the instructions tell of the machine and do not count.
    pub(super) bytes: usize,
}

/// All events of a response, each as the text of its `data` line and its type.
pub(super) fn events(reply: &Reply, numbers: Numbers) -> Vec<(&'static str, Value)> {
    let id = format!("resp_demo_{}", numbers.items);
    let mut stream = Stream { events: Vec::new(), output: Vec::new(), numbers };
    let begun = json!({"id": id, "object": "response", "status": "in_progress", "model": DEMO, "output": []});
    stream.push("response.created", json!({"response": begun}));
    stream.push("response.in_progress", json!({"response": begun}));
    if !reply.text.is_empty() {
        stream.message(&reply.text);
    }
    for call in &reply.calls {
        stream.call(call);
    }
    let words = reply.text.split_whitespace().count() + 20 * reply.calls.len();
    let (input, output) = (numbers.bytes / 4, words);
    let response = json!({
        "id": id, "object": "response", "status": "completed", "model": DEMO, "output": stream.output,
        "error": null, "incomplete_details": null,
        "usage": {
            "input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + output,
        },
    });
    stream.push("response.completed", json!({"response": response}));
    stream.events
}

struct Stream {
    events: Vec<(&'static str, Value)>,
    output: Vec<Value>,
    numbers: Numbers,
}

impl Stream {
    fn push(&mut self, kind: &'static str, mut event: Value) {
        event["type"] = kind.into();
        event["sequence_number"] = self.events.len().into();
        self.events.push((kind, event));
    }

    fn message(&mut self, text: &str) {
        let index = self.output.len();
        let id = format!("msg_demo_{}", self.numbers.items + index);
        let item = |status: &str, content: Value| json!({"type": "message", "id": id, "role": "assistant", "status": status, "content": content});
        let part =
            |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
        let place = |event: Value| with_place(event, &id, index);
        self.push(
            "response.output_item.added",
            json!({"output_index": index, "item": item("in_progress", json!([]))}),
        );
        self.push("response.content_part.added", place(json!({"content_index": 0, "part": part("")})));
        for piece in text.split_inclusive(char::is_whitespace) {
            self.push(
                "response.output_text.delta",
                place(json!({"content_index": 0, "delta": piece, "logprobs": []})),
            );
        }
        self.push(
            "response.output_text.done",
            place(json!({"content_index": 0, "text": text, "logprobs": []})),
        );
        self.push("response.content_part.done", place(json!({"content_index": 0, "part": part(text)})));
        let done = item("completed", json!([part(text)]));
        self.push("response.output_item.done", json!({"output_index": index, "item": done}));
        self.output.push(done);
    }

    fn call(&mut self, call: &BashCall) {
        let index = self.output.len();
        let number = self.numbers.calls + self.calls_so_far() + 1;
        let id = format!("fc_demo_{number}");
        let arguments = json!(call).to_string();
        let item = |status: &str, arguments: &str| json!({"type": "function_call", "id": id, "call_id": format!("call_demo_{number}"), "name": "bash", "arguments": arguments, "status": status});
        self.push(
            "response.output_item.added",
            json!({"output_index": index, "item": item("in_progress", "")}),
        );
        let place = |event: Value| with_place(event, &id, index);
        self.push("response.function_call_arguments.delta", place(json!({"delta": arguments})));
        self.push("response.function_call_arguments.done", place(json!({"arguments": arguments})));
        let done = item("completed", &arguments);
        self.push("response.output_item.done", json!({"output_index": index, "item": done}));
        self.output.push(done);
    }

    /// Calls of this response so far.
    fn calls_so_far(&self) -> usize {
        self.output.iter().filter(|item| item["type"] == "function_call").count()
    }
}

fn with_place(mut event: Value, item: &str, index: usize) -> Value {
    event["item_id"] = item.into();
    event["output_index"] = index.into();
    event
}
