//! From the events of a stream to one checked response.
//!
//! Deltas are for display; only the items at the end count. They come from one
//! source: the final response if it holds any, else the items that were
//! completed one by one; and the calls of both must agree.

use super::event::{Delta, Ended, Event, Paragraph};
use super::validate::{Unusable, validate};
use crate::model::Progress;
use crate::model::classify::{self, Failure};
use crate::model::error::Trouble;
use crate::model::server_error::ServerError;
use crate::record::limits::MAX_INTEGER;
use crate::record::{Item, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A complete, checked response.
#[derive(Debug, Clone)]
pub(super) struct Complete {
    /// Its items.
    pub(super) items: Vec<Item>,
    /// The server's id.
    pub(super) response_id: Option<String>,
    /// Tokens.
    pub(super) usage: Option<Usage>,
}

/// What one event amounts to.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing to show.
    Quiet,
    /// Text to show.
    Show(Progress),
    /// The response is complete and checked. What follows it is ignored.
    Complete(Box<Complete>),
    /// The server says that it is done, and no terminal event came.
    EndOfStream,
}

/// Collects what a stream brings.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    response_id: Option<String>,
    done: Vec<(Option<i64>, Box<RawValue>)>,
    /// Calls that were begun.
    calls_begun: usize,
    /// An event could not be read: what is shown from here on would have a gap.
    damaged: bool,
    words: Flow,
    thoughts: Flow,
}

/// Text that is shown piece by piece, and the paragraph that it came to.
#[derive(Debug, Default)]
struct Flow(Option<Paragraph>);

impl Flow {
    fn show(&mut self, delta: Delta, damaged: bool, progress: fn(String) -> Progress) -> Step {
        if damaged || delta.delta.is_empty() {
            return Step::Quiet;
        }
        let paragraph = delta.paragraph();
        let another = self.0.as_ref().is_some_and(|shown| *shown != paragraph);
        self.0 = Some(paragraph);
        Step::Show(progress(if another { format!("\n\n{}", delta.delta) } else { delta.delta }))
    }
}

impl Assembler {
    /// Takes the data of one event.
    ///
    /// # Errors
    /// [`Failure`]: the server's own error, or why the response cannot be used.
    pub(super) fn take(&mut self, data: &str) -> Result<Step, Failure> {
        let event = Event::read(data).map_err(|event| Failure::stop(Unusable::Event(event.kind)))?;
        match event {
            Event::Created(id) => self.response_id = id.or(self.response_id.take()),
            Event::CallAdded => self.calls_begun += 1,
            Event::ReasoningAdded => return Ok(Step::Show(Progress::Reasoning(String::new()))),
            Event::ItemDone { index, item } => self.done.push((index, item)),
            Event::Damaged => self.damaged = true,
            Event::Ignored => {}
            Event::Text(delta) => return Ok(self.words.show(delta, self.damaged, Progress::Text)),
            Event::Refusal(delta) => return Ok(self.words.show(delta, self.damaged, Progress::Refusal)),
            Event::Reasoning(delta) => {
                return Ok(self.thoughts.show(delta, self.damaged, Progress::Reasoning));
            }
            Event::Ended(ended) => return self.finish(*ended).map(|done| Step::Complete(Box::new(done))),
            Event::Error(error) => return Err(classify::in_answer(&ServerError::from_value(&error))),
            Event::Done => return Ok(Step::EndOfStream),
        }
        Ok(Step::Quiet)
    }

    /// Takes a whole response that came without a stream.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(super) fn take_whole(mut self, body: &str) -> Result<Complete, Failure> {
        let ended: Ended =
            serde_json::from_str(body).map_err(|_| Failure::stop(Unusable::Event("response".into())))?;
        self.finish(ended)
    }

    fn finish(&mut self, ended: Ended) -> Result<Complete, Failure> {
        let error = ended.error.as_ref().and_then(|error| serde_json::from_str::<Value>(error.get()).ok());
        match (ended.status.as_deref(), error) {
            (Some("completed"), None) => {}
            (Some("incomplete"), _) => {
                let reason = ended.incomplete_details.and_then(|details| details.reason);
                let reason = reason.unwrap_or_else(|| "no reason given".into());
                return Err(Failure::stop(Trouble::Incomplete { reason }));
            }
            (Some("failed"), None) => return Err(classify::in_answer(&ServerError::default())),
            (_, Some(error)) => return Err(classify::in_answer(&ServerError::from_value(&error))),
            (status, None) => {
                return Err(Failure::stop(Unusable::Status(status.unwrap_or("missing").into())));
            }
        }
        let usage = ended.usage.as_deref().and_then(read_usage);
        let items = self.choose(ended.output.unwrap_or_default()).map_err(Failure::stop)?;
        Ok(Complete {
            items: validate(items).map_err(Failure::stop)?,
            response_id: ended.id.or(self.response_id.take()),
            usage,
        })
    }

    /// The items of the one source that counts.
    fn choose(&mut self, output: Vec<Box<RawValue>>) -> Result<Vec<Box<RawValue>>, Unusable> {
        let mut done = std::mem::take(&mut self.done);
        if output.is_empty() {
            if self.damaged {
                return Err(Unusable::Damaged);
            }
            if done.iter().all(|(index, _)| index.is_some()) {
                done.sort_by_key(|(index, _)| *index);
            }
        }
        let done: Vec<_> = done.into_iter().map(|(_, item)| item).collect();
        let items = if output.is_empty() {
            done
        } else {
            same_calls(&done, &output)?;
            output
        };
        if calls(&items).count() < self.calls_begun { Err(Unusable::CallsDiffer) } else { Ok(items) }
    }
}

/// What two versions of a call have in common. Not the id: some servers give
/// the streamed one another than the final one, and only the final one counts.
#[derive(Deserialize)]
struct StreamedCall {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

impl StreamedCall {
    fn is(&self, other: &Self) -> bool {
        self.name == other.name && same_arguments(self.arguments.as_deref(), other.arguments.as_deref())
    }
}

fn same_arguments(one: Option<&str>, other: Option<&str>) -> bool {
    let value = |text: Option<&str>| serde_json::from_str::<Value>(text.unwrap_or_default()).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

fn calls(items: &[Box<RawValue>]) -> impl Iterator<Item = StreamedCall> {
    let read = items.iter().filter_map(|item| serde_json::from_str::<StreamedCall>(item.get()).ok());
    read.filter(|call| call.kind == "function_call")
}

/// Every call that was streamed stands in the final response, with the same arguments.
fn same_calls(streamed: &[Box<RawValue>], last: &[Box<RawValue>]) -> Result<(), Unusable> {
    let mut left: Vec<_> = calls(last).collect();
    for call in calls(streamed) {
        let Some(place) = left.iter().position(|other| call.is(other)) else {
            return Err(Unusable::CallsDiffer);
        };
        left.remove(place);
    }
    Ok(())
}

/// Tokens, as far as they are told; all zero is not told.
fn read_usage(usage: &RawValue) -> Option<Usage> {
    let value: Value = serde_json::from_str(usage.get()).ok()?;
    let count =
        |path: &str| value.pointer(path).and_then(Value::as_u64).filter(|count| *count <= MAX_INTEGER);
    let usage = Usage {
        input: count("/input_tokens"),
        cached: count("/input_tokens_details/cached_tokens"),
        output: count("/output_tokens"),
        reasoning: count("/output_tokens_details/reasoning_tokens"),
    };
    let told = [usage.input, usage.output].into_iter().flatten().any(|count| count > 0);
    told.then_some(usage)
}

#[cfg(test)]
mod tests;
