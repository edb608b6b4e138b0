//! The few places in a session from which most rules can be tried.

use super::{Story, bodies};
use crate::record::{CallId, DispatchId, Evidence, Outcome, StatementKind, TurnId, TurnStatus};

/// A story with the turn and the calls that a test is about.
pub(crate) struct Scene {
    pub(crate) story: Story,
    pub(crate) turn: TurnId,
    pub(crate) first: CallId,
    pub(crate) second: CallId,
}

impl Scene {
    /// A message was said, and nothing else.
    pub(crate) fn said() -> Self {
        Self::said_in(Story::new(), false)
    }

    /// Another program's message was said.
    pub(crate) fn imported() -> Self {
        Self::said_in(Story::of(bodies::imported_origin()), true)
    }

    pub(crate) fn said_in(mut story: Story, imported: bool) -> Self {
        let turn = story.turn_id();
        let mut message = bodies::message(turn, "Add milk.");
        message.imported = imported;
        story.add(message);
        Self { story, turn, first: bodies::call_id("c1"), second: bodies::call_id("c2") }
    }

    /// The model asked for two calls.
    pub(crate) fn asked() -> Self {
        Self::said().with_calls()
    }

    pub(crate) fn with_calls(mut self) -> Self {
        let items = [bodies::call_item("c1", "ls"), bodies::call_item("c2", "make")];
        self.story.add(bodies::response(self.turn, &items));
        self
    }

    /// The first call was approved: `ls`.
    pub(crate) fn approved() -> Self {
        let mut scene = Self::asked();
        scene.story.add(bodies::approval(scene.turn, &scene.first, bodies::operation("ls")));
        scene
    }

    /// The first call was started.
    pub(crate) fn started() -> (Self, DispatchId) {
        let mut scene = Self::approved();
        let dispatch = scene.story.dispatch_id();
        scene.story.add(bodies::started(scene.turn, &scene.first, dispatch, bodies::operation("ls")));
        (scene, dispatch)
    }

    /// The first call was started and its outcome is unknown.
    pub(crate) fn unknown() -> (Self, DispatchId) {
        let (mut scene, dispatch) = Self::started();
        let (outcome, evidence) = (Outcome::Unknown, Evidence::None);
        scene.story.add(bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence));
        (scene, dispatch)
    }

    /// A turn with an unknown outcome was closed; the gate is closed too.
    pub(crate) fn gated() -> (Self, DispatchId) {
        let (mut scene, dispatch) = Self::unknown();
        scene.skip_second();
        scene.end(TurnStatus::Interrupted);
        (scene, dispatch)
    }

    /// Both calls have a result.
    pub(crate) fn resolved() -> Self {
        let (mut scene, dispatch) = Self::started();
        let (outcome, evidence) = (Outcome::Completed, Evidence::Live);
        scene.story.add(bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence));
        scene.skip_second();
        scene
    }

    /// The model's answer is complete.
    pub(crate) fn answered() -> Self {
        let mut scene = Self::said();
        scene.story.add(bodies::response(scene.turn, &[bodies::text_item("Done.")]));
        scene
    }

    /// The turn is over.
    pub(crate) fn done() -> Self {
        let mut scene = Self::answered();
        scene.end(TurnStatus::Completed);
        scene
    }

    pub(crate) fn skip_second(&mut self) {
        let result =
            crate::record::ToolResult::without_dispatch(self.turn, self.second.clone(), Outcome::NotExecuted);
        self.story.add(result);
    }

    pub(crate) fn end(&mut self, status: TurnStatus) {
        self.story.add(bodies::ended(self.turn, status));
    }

    pub(crate) fn state(&mut self, dispatch: DispatchId, statement: StatementKind) {
        self.story.add(bodies::acknowledged(vec![bodies::says(dispatch, statement)]));
    }

    /// A new turn with one call `id` for this command, approved and started.
    pub(crate) fn start_again(&mut self, id: &str, command: &str) -> DispatchId {
        self.turn = self.story.turn_id();
        self.story.add(bodies::message(self.turn, "Again."));
        self.story.add(bodies::response(self.turn, &[bodies::call_item(id, command)]));
        self.first = bodies::call_id(id);
        self.story.add(bodies::approval(self.turn, &self.first, bodies::operation(command)));
        let dispatch = self.story.dispatch_id();
        let mut start = bodies::started(self.turn, &self.first, dispatch, bodies::operation(command));
        start.repeats = self.story.session.repeated_by(&start.operation);
        self.story.add(start);
        dispatch
    }

    /// The end of an execution that [`Scene::start_again`] started, and of its turn.
    pub(crate) fn finish(&mut self, dispatch: DispatchId, outcome: Outcome) {
        let evidence = if outcome == Outcome::Unknown { Evidence::None } else { Evidence::Live };
        self.story.add(bodies::result(self.turn, &self.first, dispatch, outcome, evidence));
        self.end(TurnStatus::Interrupted);
    }
}
