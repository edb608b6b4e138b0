//! A stage for tests: the real state and views, a backend in memory, a clock
//! that is set by hand, and records as an agent would commit them.

mod disk;
mod parsed;

pub(crate) use self::disk::Disk;

pub(crate) use self::parsed::Parsed;
use super::clock::Now;
use super::effects::Effect;
use super::input::{Input, Key, Timed};
use super::moment::Moment;
use super::painter::{Painter, Picture};
use super::state::{Fixed, State};
use super::surroundings::Surroundings;
use super::theme::Theme;
use super::update::{Change, Happening};
use super::views;
use super::words::Words;
use crate::agent::{ApprovalRequest, Command, Event, OpenedSession, Phase};
use crate::config::ScreenSettings;
use crate::record::{
    Approval, BashOperation, By, CallId, Committed, Decision, Digest, DispatchId, Evidence, KeyId,
    ModelResponse, Operation, Origin, Outcome, Record, SessionId, SessionStarted, Timestamp, ToolResult,
    ToolStarted, TurnEnded, TurnId, TurnStatus, UserMessage,
};
use crate::session::Session;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use serde_json::value::RawValue;
use std::time::Duration;

pub(crate) const SESSION: &str = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const TURN: &str = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f0000";

/// A dispatch by its number.
pub(crate) fn dispatch(number: u8) -> DispatchId {
    DispatchId::parse(&format!("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f01{number:02x}")).unwrap()
}

/// A turn by its number.
pub(crate) fn turn(number: usize) -> TurnId {
    TurnId::parse(&format!("{}{number:04x}", &TURN[..32])).unwrap()
}

pub(crate) fn call_id(number: usize) -> CallId {
    CallId::new(format!("call_{number}")).unwrap()
}

/// A bash operation as the agent prepares it.
pub(crate) fn operation(command: &str) -> Operation {
    let bash = BashOperation::new(command.into(), "/home/me/shop".into(), 300_000, None, vec!["PATH".into()]);
    Operation::bash(&bash).unwrap()
}

/// 20:13:05 on a day, and some milliseconds.
pub(crate) fn wall(millis: i64) -> Timestamp {
    let day = Timestamp::parse("2026-11-29T20:13:05.000Z").unwrap();
    Timestamp::from_millis(day.as_millis() + millis)
}

pub(crate) struct Stage {
    pub(crate) state: State,
    pub(crate) terminal: Parsed,
    painter: Painter<Parsed>,
    pub(crate) effects: Vec<Effect>,
    theme: Theme,
    millis: u64,
    seq: u64,
    turns: usize,
}

impl Stage {
    /// A screen of this size with nothing opened yet.
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        let fixed = Fixed {
            words: Words { zone: Some(jiff::tz::TimeZone::UTC), home: Some("/home/me".into()) },
            cwd: "/home/me/shop".into(),
            model: "gpt-5.6".into(),
            demo: false,
            context_window: 0,
            bell: true,
            notify: true,
            mouse: false,
        };
        let surroundings = Surroundings { locale: "C.UTF-8".into(), ..Surroundings::default() };
        let now = Now { moment: Moment::default(), wall: wall(0) };
        let terminal = Parsed::new(columns, rows);
        Self {
            state: State::new(fixed, "", now),
            painter: Painter::new(terminal.clone()),
            terminal,
            effects: Vec::new(),
            theme: Theme::new(&ScreenSettings::default(), &surroundings),
            millis: 0,
            seq: 0,
            turns: 0,
        }
    }

    /// A screen with an empty conversation.
    pub(crate) fn open(columns: u16, rows: u16) -> Self {
        let mut stage = Self::new(columns, rows);
        stage.event(Event::Opened(Box::new(opened(None))));
        stage.event(Event::Phase(Phase::Ready));
        stage
    }

    pub(crate) fn now(&self) -> Now {
        let moment = Moment::after_start(Duration::from_millis(self.millis));
        Now { moment, wall: wall(i64::try_from(self.millis).unwrap()) }
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, millis: u64) {
        self.millis += millis;
        self.happen(Happening::Tick);
    }

    pub(crate) fn happen(&mut self, happening: Happening) {
        let now = self.now();
        self.effects.extend(self.state.happened(happening, now));
    }

    pub(crate) fn event(&mut self, event: Event) {
        self.happen(Happening::Event(Box::new(event)));
    }

    pub(crate) fn input(&mut self, input: Input) {
        let at = self.now().moment;
        self.happen(Happening::Input(Timed { input, at }));
    }

    /// Presses a key, with a pause before it that is no pause for thought.
    pub(crate) fn press(&mut self, key: Key) {
        self.millis += 50;
        self.input(Input::Key(key));
    }

    pub(crate) fn code(&mut self, code: KeyCode) {
        self.press(Key::plain(code));
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.press(Key::char(c));
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.input(Input::Paste(text.to_owned()));
    }

    /// What the agent was told since the last call, but for drafts.
    pub(crate) fn told(&mut self) -> Vec<Command> {
        let mut told = self.told_with_drafts();
        told.retain(|command| !matches!(command, Command::Draft(_)));
        told
    }

    /// What the agent was told since the last call, but for the history, which
    /// is asked for at every opening.
    pub(crate) fn told_with_drafts(&mut self) -> Vec<Command> {
        let effects = std::mem::take(&mut self.effects);
        let command = |effect| match effect {
            Effect::Tell(Command::History { .. }) => None,
            Effect::Tell(command) => Some(command),
            _ => None,
        };
        effects.into_iter().filter_map(command).collect()
    }

    /// Commits a record.
    pub(crate) fn commit(&mut self, record: impl Into<Record>) {
        let at = self.now().wall;
        let committed = Committed { seq: self.seq, at, record: record.into() };
        self.seq += 1;
        self.event(Event::Committed(committed));
    }

    /// A message that opens a turn, after the beginning of the session if need be.
    pub(crate) fn message(&mut self, text: &str) {
        if self.seq == 0 {
            self.commit(SessionStarted {
                app: "candor 0.1.0".into(),
                key_id: KeyId::of(&[7; 32]),
                cwd: "/home/me/shop".into(),
                title: Some(text.lines().next().unwrap_or_default().into()),
                origin: Origin::New {},
                ext: None,
            });
        }
        self.turns += 1;
        let turn = turn(self.turns);
        self.commit(UserMessage { turn, text: text.into(), imported: false, ext: None });
    }

    /// A response: text, then calls of bash with these commands.
    pub(crate) fn response(&mut self, text: &str, first_call: usize, commands: &[&str]) {
        let mut items = Vec::new();
        if !text.is_empty() {
            items.push(serde_json::json!({"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": text}]}));
        }
        for (index, command) in commands.iter().enumerate() {
            let arguments = serde_json::json!({ "command": command }).to_string();
            items.push(serde_json::json!({"type": "function_call", "name": "bash",
                "call_id": call_id(first_call + index).as_str(), "arguments": arguments}));
        }
        self.items(&items);
    }

    /// A response of these items.
    pub(crate) fn items(&mut self, items: &[serde_json::Value]) {
        let items =
            items.iter().map(|item| RawValue::from_string(item.to_string()).unwrap().into()).collect();
        self.commit(ModelResponse {
            turn: turn(self.turns),
            items,
            protocol: "responses".into(),
            server: Some("https://api.example/v1".into()),
            model: Some("gpt-5.6".into()),
            response_id: None,
            usage: None,
            duration_ms: Some(1_200),
            instructions_sha256: Some(Digest::of(b"")),
            ext: None,
        });
    }

    /// The request for an approval of a call.
    pub(crate) fn ask(&mut self, call: usize, command: &str) {
        self.event(Event::Phase(Phase::WaitingForYou));
        self.event(Event::Approval(Box::new(request(call, command))));
    }

    pub(crate) fn approve(&mut self, call: usize, command: &str) {
        let operation = operation(command);
        self.commit(Approval {
            turn: turn(self.turns),
            call: call_id(call),
            decision: Decision::Approved,
            by: By::User,
            rule: None,
            standing: false,
            fingerprint: operation.fingerprint(),
            operation,
            edited: false,
            feedback: None,
            ext: None,
        });
    }

    pub(crate) fn start(&mut self, call: usize, command: &str) {
        let operation = operation(command);
        self.commit(ToolStarted {
            turn: turn(self.turns),
            call: call_id(call),
            dispatch: dispatch(u8::try_from(call).unwrap()),
            fingerprint: operation.fingerprint(),
            operation,
            repeats: None,
            ext: None,
        });
    }

    /// How an executed call ended; the rest of the result can be set.
    pub(crate) fn result(&mut self, call: usize, outcome: Outcome, set: impl FnOnce(&mut ToolResult)) {
        let evidence = if outcome == Outcome::Unknown { Evidence::None } else { Evidence::Live };
        let dispatch = dispatch(u8::try_from(call).unwrap());
        let mut result =
            ToolResult::of_dispatch(turn(self.turns), call_id(call), dispatch, outcome, evidence);
        match outcome {
            Outcome::Completed => result.exit_code = Some(0),
            Outcome::Failed => result.exit_code = Some(2),
            _ => {}
        }
        if outcome.is_observed_end() {
            (result.started_at, result.ended_at) = (Some(wall(0)), Some(wall(1200)));
        }
        set(&mut result);
        self.commit(result);
    }

    /// A whole call from approval to result.
    pub(crate) fn ran(&mut self, call: usize, command: &str, output: &str) {
        self.approve(call, command);
        self.start(call, command);
        self.result(call, Outcome::Completed, |result| {
            result.output = Some(output.into());
            result.output_bytes = Some(output.len() as u64);
        });
    }

    pub(crate) fn end(&mut self, status: TurnStatus) {
        self.commit(TurnEnded { turn: turn(self.turns), status, error: None, ext: None });
    }

    /// Draws as the driver does, until a frame changes nothing any more.
    pub(crate) fn draw(&mut self) {
        for _ in 0..3 {
            let now = self.now();
            self.state.now = now;
            let (state, theme) = (&mut self.state, self.theme);
            let mut painted = None;
            let area = self.terminal.area();
            self.painter.draw(area, |picture| painted = Some(views::draw(state, theme, picture))).unwrap();
            if !self.state.painted(painted.unwrap(), now.moment) {
                break;
            }
        }
    }

    /// Draws the draft alone if nothing else can look different, as the driver
    /// does, and whether that was so.
    pub(crate) fn draw_draft(&mut self) -> bool {
        // What did not happen but was put into the state may be anything.
        let change = std::mem::replace(&mut self.state.change, Change::All);
        let (Change::Draft, Some(above)) = (change, self.state.above) else { return false };
        let (state, theme, area) = (&mut self.state, self.theme, self.terminal.area());
        let draw = |picture: &mut Picture| views::draw_draft(state, theme, above, picture);
        self.painter.draw_from(area, above.bottom(), draw).unwrap()
    }

    /// What the terminal should show now.
    pub(crate) fn shown(&self) -> &Picture {
        self.painter.shown()
    }

    /// The whole picture, made anew.
    pub(crate) fn picture(&mut self) -> Picture {
        let mut picture = Picture::empty(self.terminal.area());
        _ = views::draw(&mut self.state, self.theme, &mut picture);
        picture
    }

    /// Another size of the screen.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.resize(columns, rows);
        self.input(Input::Resize);
    }

    /// The cells of a frame, and where its cursor is.
    pub(crate) fn cells(&mut self) -> (Buffer, (u16, u16)) {
        self.draw();
        let picture = self.picture();
        let cursor = picture.cursor.unwrap_or_default();
        (picture.buffer, (cursor.x, cursor.y))
    }

    /// A terminal of the same size on which nothing was drawn yet.
    pub(crate) fn start_terminal_afresh(&mut self) {
        let area = self.terminal.area();
        self.terminal = Parsed::new(area.width, area.height);
        self.painter = Painter::new(self.terminal.clone());
    }

    /// That every record so far was one that a session takes.
    pub(crate) fn check_records(&self) {
        let odd = self.state.conversation.notes.iter().find(|note| note.text.contains("cannot show record"));
        assert_eq!(odd, None);
    }

    /// The screen as text, without spaces at the ends of rows, with the
    /// cursor's place in the last line.
    pub(crate) fn screen(&mut self) -> String {
        self.draw();
        self.check_records();
        let screen = self.terminal.screen();
        let (rows, columns) = screen.size();
        let mut text = String::new();
        for row in 0..rows {
            let shown = screen.contents_between(row, 0, row, columns);
            text.push_str(shown.trim_end());
            text.push('\n');
        }
        let (row, column) = screen.cursor_position();
        text.push_str(&format!("cursor {column},{row}\n"));
        text
    }
}

pub(crate) fn request(call: usize, command: &str) -> ApprovalRequest {
    let operation = operation(command);
    ApprovalRequest {
        call: call_id(call),
        fingerprint: operation.fingerprint(),
        operation,
        edited: false,
        position: (1, 1),
        others: Vec::new(),
        repeats: None,
        environment: Vec::new(),
        first: false,
        standing_offered: true,
    }
}

pub(crate) fn opened(id: Option<SessionId>) -> OpenedSession {
    OpenedSession {
        id,
        session: Session::new(SessionId::parse(SESSION).unwrap()),
        cwd: "/home/me/shop".into(),
        path: None,
        read_only: None,
        found: Vec::new(),
        model: "gpt-5.6".into(),
        given: Vec::new(),
        draft: String::new(),
        demo: false,
    }
}
