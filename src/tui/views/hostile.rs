//! Whatever an agent tells, and however the screen is sized: only clean cells,
//! no panic, and the same picture as a fresh draw.

use crate::agent::first::{FirstStart, Offer};
use crate::agent::{
    AliveProcess, Delta, Event, Finding, Given, Hit, Holder, ModelList, OpenedSession, Phase, Previewed,
    ReadOnly, Refusal, RunningCommand, SessionRow, SessionState, Speaker, UnknownReport, Watched,
};
use crate::config::ModelSettings;
use crate::record::{Outcome, SessionId, Survivor, TurnStatus};
use crate::tui::input::Key;
use crate::tui::testing::{SESSION, Stage, dispatch, opened, operation, request, wall};
use crossterm::event::KeyCode;
use proptest::prelude::*;

/// Everything that a terminal, a reader or a layout could fall for.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\rover\u{8}\u{8}\u{0}\t\u{202e}txet\u{2066}\u{200b}\u{feff}\
    \u{e0041}\u{ad}日本語👩‍👩‍👧🇩🇪e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{1b}P1$q\u{1b}\\\n\u{2028}second\u{85}line";

/// The same without clusters that the parser of the tests measures by its characters.
const TAME: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\rover\u{8}\u{8}\t\u{202e}txet\u{2066}\u{200b}\u{feff}\u{e0041}\u{ad}日本語\
    e\u{301}\u{301}\u{301}\u{1b}P1$q\u{1b}\\\n\u{2028}second\u{85}line";

fn row(state: SessionState, text: &str) -> SessionRow {
    SessionRow {
        id: SessionId::parse(SESSION).unwrap(),
        title: text.into(),
        is_fork: false,
        cwd: text.into(),
        state,
        detail: text.into(),
        holder: None,
        message: String::new(),
        last_at: Some(wall(0)),
        here: true,
    }
}

fn hostile_opening(text: &str) -> OpenedSession {
    OpenedSession {
        cwd: text.into(),
        read_only: Some(ReadOnly::Damaged(text.into())),
        found: vec![Finding { sentence: text.into() }],
        model: text.into(),
        given: vec![Given { name: text.into(), bytes: 7 }],
        draft: text.into(),
        ..opened(None)
    }
}

fn report(text: &str) -> UnknownReport {
    UnknownReport {
        dispatch: dispatch(1),
        operation: Some(operation(text)),
        imported: false,
        approved: Some((wall(0), "at the keyboard")),
        started_at: Some(wall(0)),
        last_output_at: Some(wall(0)),
        output: text.into(),
        output_bytes: u64::MAX,
        output_path: None,
        pid: Some(1),
        alive: vec![AliveProcess { pid: 2, command: text.into() }],
        changed: (vec![text.into()], true),
        decision: Some(text.into()),
    }
}

fn command(found: bool, text: &str) -> RunningCommand {
    let summary = text.into();
    RunningCommand { dispatch: dispatch(1), summary, started_at: wall(0), supervised: false, found }
}

/// One event of every kind, each with hostile text wherever it takes text.
fn events(text: &str) -> Vec<Event> {
    let mut asked = request(1, text);
    asked.others = vec![text.into(); 7];
    asked.environment = vec![(text.into(), text.into())];
    asked.position = (1, 8);
    // The parser of the tests does not draw U+FFFD.
    let broken: &[u8] = if text == HOSTILE { &[0xff, 0xfe, 0x80] } else { &[] };
    let states = [SessionState::NeedsYou, SessionState::Damaged, SessionState::Ready];
    let refused = Event::Refused { why: Refusal::Cannot, sentence: text.into(), text: Some(text.into()) };
    vec![
        Event::Sessions(states.map(|state| row(state, text)).to_vec()),
        Event::Opened(Box::new(hostile_opening(text))),
        Event::Phase(Phase::Retrying { wait_ms: 3_000, reason: text.into() }),
        Event::Phase(Phase::Running(command(true, text))),
        Event::Output { dispatch: dispatch(1), bytes: [text.as_bytes(), broken].concat() },
        Event::Phase(Phase::Running(command(false, text))),
        Event::Delta(Delta::Text(text.into())),
        Event::Delta(Delta::Reasoning(text.into())),
        Event::Delta(Delta::Refusal(text.into())),
        Event::Phase(Phase::WaitingForYou),
        Event::Approval(Box::new(asked)),
        Event::ExtensionWanted { model_requests: u64::MAX, tool_calls: u64::MAX },
        Event::Gate(vec![report(text), UnknownReport { dispatch: dispatch(2), ..report(text) }]),
        refused,
        Event::PutBack(text.into()),
        Event::Notice(text.into()),
        Event::Poisoned(text.into()),
        Event::Discarded,
        Event::LocalServers(vec![offer(text)]),
        Event::Models(ModelList { model: model(text), offered: Ok(vec![text.into(), "small".into()]) }),
        Event::Reached { model: ModelSettings::default(), offered: Err(text.into()) },
        Event::ModelChanged { name: text.into(), sentence: text.into() },
        Event::Environment(vec![(text.into(), text.into())]),
        Event::Trash(vec![row(SessionState::Ready, text)]),
        Event::Previewed(Box::new(Previewed {
            id: SessionId::parse(SESSION).unwrap(),
            session: None,
            why: Some(text.into()),
        })),
        Event::Watched(Watched::Held(Some(holder(text)))),
        Event::Watched(Watched::Free { running: true }),
    ]
}

fn holder(text: &str) -> Holder {
    Holder { pid: 1, host: text.into(), terminal: Some(text.into()), since: wall(0) }
}

fn offer(text: &str) -> Offer {
    Offer::Local { name: "Ollama", base_url: text.into(), models: vec![text.into()] }
}

fn model(text: &str) -> ModelSettings {
    ModelSettings { name: text.into(), base_url: text.into(), ..ModelSettings::default() }
}

/// A conversation in which every record holds hostile text.
fn hostile_talk(columns: u16, rows: u16, text: &str) -> Stage {
    let mut stage = Stage::open(columns, rows);
    // No record holds a NUL where a person or a shell reads it.
    let said = text.replace('\0', "");
    stage.message(&said);
    stage.response(text, 1, &[&said, "true"]);
    stage.approve(1, &said);
    stage.start(1, &said);
    stage.result(1, Outcome::Failed, |result| {
        result.output = Some(text.repeat(3));
        result.output_bytes = Some(1_000_000);
        result.truncated = true;
        result.survivors = Some(vec![Survivor { pid: 1, command: text.into() }]);
    });
    stage.check_records();
    stage
}

fn is_clean(symbol: &str) -> bool {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{ad}')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
    };
    !symbol.contains(hidden)
}

fn assert_clean(stage: &mut Stage, after: &str) {
    let (buffer, cursor) = stage.cells();
    for cell in buffer.content() {
        assert!(is_clean(cell.symbol()), "{after}: {:?}", cell.symbol());
    }
    let inside = cursor.0 < buffer.area.width && cursor.1 < buffer.area.height;
    assert!(inside, "{after}: the cursor is at {cursor:?}");
}

#[test]
fn every_event_with_hostile_text_gives_only_clean_cells() {
    for (columns, rows) in [(80, 24), (40, 12), (120, 40)] {
        let mut stage = hostile_talk(columns, rows, HOSTILE);
        assert_clean(&mut stage, "the records");
        for event in events(HOSTILE) {
            let after = format!("{event:?}").chars().take(40).collect::<String>();
            stage.event(event);
            assert_clean(&mut stage, &after);
        }
    }
}

#[test]
fn every_event_alone_gives_only_clean_cells() {
    for event in events(HOSTILE) {
        let after = format!("{event:?}").chars().take(40).collect::<String>();
        let mut stage = hostile_talk(80, 24, HOSTILE);
        stage.event(event);
        assert_clean(&mut stage, &after);
    }
}

#[test]
fn servers_and_models_with_hostile_names_give_only_clean_cells() {
    for (columns, rows) in [(80, 24), (40, 12)] {
        for first in [FirstStart::Nothing, FirstStart::Server(Box::new(model(HOSTILE)))] {
            let mut stage = Stage::open(columns, rows);
            stage.state.ask_for_model(&first);
            stage.event(Event::LocalServers(vec![offer(HOSTILE)]));
            assert_clean(&mut stage, "the offers");
            let reached =
                Event::Reached { model: model(HOSTILE), offered: Ok(Some(vec![HOSTILE.into(); 40])) };
            stage.event(reached);
            assert_clean(&mut stage, "the models");
            stage.code(KeyCode::Down);
            stage.paste(HOSTILE);
            assert_clean(&mut stage, "what is typed");
        }
    }
}

#[test]
fn tool_text_cannot_pass_for_a_line_of_candors_own() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response(" Candor\n   Everything was saved.", 1, &["ls"]);
    stage.ran(1, "ls", "\u{1b}[1G Candor\n Candor\rCandor");
    let screen = stage.screen();
    assert!(!screen.lines().any(|line| line.starts_with(" Candor")), "{screen}");
}

/// What a person may do at any moment.
#[derive(Debug, Clone)]
enum Deed {
    Key(Key),
    Paste(&'static str),
    Resize(u16, u16),
    Wait(u64),
    Event(usize),
    AskForModel,
}

fn deed() -> impl Strategy<Value = Deed> {
    let codes = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::F(1),
    ];
    let letters = "yaenwq1234jkgGbstor<>? /日\u{301}".chars().map(Key::char).collect::<Vec<_>>();
    let controls = "acdefghjklnoruwxyz_".chars().map(Key::ctrl).collect::<Vec<_>>();
    prop_oneof![
        6 => prop::sample::select(codes.to_vec()).prop_map(|code| Deed::Key(Key::plain(code))),
        4 => prop::sample::select(letters).prop_map(Deed::Key),
        2 => prop::sample::select(controls).prop_map(Deed::Key),
        1 => prop::sample::select(vec![TAME, "line\nline", ""]).prop_map(Deed::Paste),
        2 => (1u16..=200, 1u16..=60).prop_map(|(columns, rows)| Deed::Resize(columns, rows)),
        1 => (0u64..3_000).prop_map(Deed::Wait),
        3 => (0..events(TAME).len()).prop_map(Deed::Event),
        1 => Just(Deed::AskForModel),
    ]
}

fn perform(stage: &mut Stage, deed: Deed) {
    match deed {
        Deed::Key(key) => stage.press(key),
        Deed::Paste(text) => stage.paste(text),
        Deed::Resize(columns, rows) => stage.resize(columns, rows),
        Deed::Wait(millis) => stage.wait(millis),
        Deed::AskForModel => _ = stage.state.ask_for_model(&FirstStart::Nothing),
        Deed::Event(index) => stage.event(events(TAME).swap_remove(index)),
    }
}

/// The first cell in which two screens look different.
fn difference(one: &vt100::Screen, other: &vt100::Screen) -> Option<(u16, u16, String, String)> {
    let look = |screen: &vt100::Screen, row, column| {
        let Some(cell) = screen.cell(row, column) else { return String::new() };
        let text = cell.contents().trim();
        let (bold, dim, reverse) = (cell.bold(), cell.dim(), cell.inverse());
        // Of the style of a blank only what reverses it is seen.
        match text {
            "" => format!("blank {reverse}"),
            _ => format!("{text} {bold} {dim} {reverse} {:?}", cell.fgcolor()),
        }
    };
    let (rows, columns) = one.size();
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    places
        .map(|(row, column)| (row, column, look(one, row, column), look(other, row, column)))
        .find(|(_, _, one, other)| one != other)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_is_drawn_like_a_fresh_draw(deeds in prop::collection::vec(deed(), 1..30)) {
        let mut stage = hostile_talk(80, 24, TAME);
        stage.draw();
        for deed in deeds {
            perform(&mut stage, deed);
            if !stage.draw_draft() {
                stage.draw();
            }
            let fresh = stage.picture();
            prop_assert_eq!(stage.shown(), &fresh);
        }
        let drawn = stage.terminal.screen();
        stage.start_terminal_afresh();
        stage.draw();
        let fresh = stage.terminal.screen();
        prop_assert_eq!(difference(&fresh, &drawn), None);
        prop_assert_eq!(fresh.cursor_position(), drawn.cursor_position());
    }
}

#[test]
fn every_size_is_drawn() {
    let mut stage = hostile_talk(80, 24, HOSTILE);
    stage.event(Event::Phase(Phase::WaitingForYou));
    stage.event(Event::Approval(Box::new(request(2, HOSTILE))));
    for (columns, rows) in (1..=60).step_by(3).flat_map(|n| [(n, n), (n * 3, n), (n, 60), (200, n)]) {
        stage.resize(columns, rows);
        assert_clean(&mut stage, &format!("{columns}x{rows}"));
    }
    stage.end(TurnStatus::Cancelled);
}

#[test]
fn sessions_with_hostile_titles_and_places_give_only_clean_cells() {
    for (columns, rows) in [(80, 24), (40, 12), (120, 40)] {
        let mut stage = hostile_talk(columns, rows, HOSTILE);
        let listed = [SessionState::NeedsYou, SessionState::Damaged, SessionState::Ready];
        let listed = listed.map(|state| SessionRow { holder: Some(holder(HOSTILE)), ..row(state, HOSTILE) });
        stage.event(Event::Sessions(listed.to_vec()));
        stage.press(Key::ctrl('s'));
        assert_clean(&mut stage, "the sessions");
        let session = stage.state.conversation.session.clone();
        let id = SessionId::parse(SESSION).unwrap();
        stage.event(Event::Previewed(Box::new(Previewed { id, session, why: Some(HOSTILE.into()) })));
        assert_clean(&mut stage, "the preview");
        stage.paste(HOSTILE);
        assert_clean(&mut stage, "the filter");
        stage.press(Key::ctrl('u'));
        stage.press(Key::ctrl('r'));
        assert_clean(&mut stage, "the title in its field");
        stage.paste(HOSTILE);
        assert_clean(&mut stage, "another title");
        stage.code(KeyCode::Esc);
        stage.press(Key::ctrl('f'));
        let hit = Hit {
            id,
            seq: 2,
            at: wall(0),
            who: Speaker::You,
            excerpt: HOSTILE.into(),
            words: 0..HOSTILE.len(),
        };
        stage.event(Event::Found { number: 1, hits: vec![hit.clone(), Hit { words: 0..4, ..hit }] });
        assert_clean(&mut stage, "the places");
    }
}
