//! The sessions over the whole screen with content that is long, wide and hostile.

use crate::agent::{
    Command, Event, Hit, Holder, Moved, Previewed, Refusal, Searched, SessionRow, SessionState, Speaker,
    Watched,
};
use crate::record::{SessionId, Timestamp, TurnStatus};
use crate::session::Session;
use crate::tui::input::Key;
use crate::tui::testing::{SESSION, Stage, opened, wall};
use crossterm::event::KeyCode;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

fn snapshot(name: &str, size: (u16, u16), stage: &mut Stage) {
    let name = format!("{name}_{}x{}", size.0, size.1);
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!(name, stage.screen());
    });
}

fn id(number: u8) -> SessionId {
    SessionId::parse(&format!("{}{number:02x}", &SESSION[..34])).unwrap()
}

fn holder() -> Holder {
    let since = Timestamp::parse("2026-11-29T09:12:00.000Z").unwrap();
    Holder { pid: 4121, host: "box".into(), terminal: Some("pts/3".into()), since }
}

fn row(number: u8, state: SessionState, title: &str, detail: &str) -> SessionRow {
    SessionRow {
        id: id(number),
        title: title.into(),
        is_fork: false,
        cwd: if number < 6 { "/home/me/shop".into() } else { "/srv/\u{1b}[2Jweb".into() },
        state,
        detail: detail.into(),
        holder: (state == SessionState::OpenElsewhere).then(holder),
        message: String::new(),
        last_at: Some(wall(-i64::from(number) * 400 * 60_000)),
        here: number < 6,
    }
}

fn rows() -> Vec<SessionRow> {
    vec![
        row(1, SessionState::NeedsYou, "Add milk to shopping.txt", "1 unknown outcome"),
        row(2, SessionState::CommandRunning, "Nightly backup", "rsync, no window"),
        row(3, SessionState::OpenElsewhere, "Fix the parser", "terminal pts/3, process 4121 on box"),
        row(4, SessionState::Ready, "買い物リストに牛乳を追加してください、お願いします", ""),
        row(5, SessionState::Damaged, "Release \u{1b}[31mnotes\u{202e}", "line 3: it does not verify"),
        row(6, SessionState::Interrupted, "Deploy", ""),
        row(7, SessionState::ReadOnly, "From a newer Candor", "written by a newer Candor (form 2)"),
    ]
}

/// A conversation of three turns.
fn talk() -> Session {
    let mut stage = Stage::open(80, 24);
    for (number, message) in ["Add milk to shopping.txt", "And 牛乳 too", "Now tea"].into_iter().enumerate()
    {
        stage.message(message);
        stage.response("I'll append it.", number + 1, &["echo it >> shopping.txt"]);
        stage.ran(number + 1, "echo it >> shopping.txt", "done\n");
        stage.end(TurnStatus::Cancelled);
    }
    stage.state.conversation.session.clone().unwrap()
}

fn previewed(number: u8, why: Option<&str>) -> Event {
    let why = why.map(str::to_owned);
    Event::Previewed(Box::new(Previewed { id: id(number), session: Some(talk()), why }))
}

fn listed(size: (u16, u16)) -> Stage {
    let mut stage = Stage::open(size.0, size.1);
    stage.event(Event::Sessions(rows()));
    stage.press(Key::ctrl('s'));
    stage.event(previewed(1, None));
    stage
}

#[test]
fn the_list_and_its_preview() {
    for size in SIZES {
        let mut stage = listed(size);
        snapshot("sessions", size, &mut stage);
        stage.code(KeyCode::Right);
        snapshot("sessions_preview", size, &mut stage);
        stage.code(KeyCode::Left);
        stage.code(KeyCode::Tab);
        stage.code(KeyCode::Down);
        stage.code(KeyCode::Down);
        snapshot("sessions_everywhere", size, &mut stage);
        stage.type_text("release");
        let why = "This session does not verify: line 3: the chain is broken. It can be read up to there, and is \
                   never changed.";
        stage.event(previewed(5, Some(why)));
        snapshot("sessions_filtered", size, &mut stage);
        stage.type_text(" of nothing");
        snapshot("sessions_nothing", size, &mut stage);
    }
}

#[test]
fn what_is_asked_about_a_session() {
    for size in SIZES {
        let mut stage = listed(size);
        stage.press(Key::ctrl('r'));
        snapshot("sessions_rename", size, &mut stage);
        stage.code(KeyCode::Esc);
        stage.press(Key::ctrl('k'));
        stage.code(KeyCode::Up);
        snapshot("sessions_fork", size, &mut stage);
        stage.code(KeyCode::Esc);
        stage.code(KeyCode::Delete);
        stage.type_text("Add");
        snapshot("sessions_word", size, &mut stage);
        stage.code(KeyCode::Esc);
        stage.code(KeyCode::End);
        stage.code(KeyCode::Delete);
        snapshot("sessions_trash", size, &mut stage);
        stage.event(Event::Moved(Moved::ToTrash(id(5))));
        snapshot("sessions_trashed", size, &mut stage);
    }
}

#[test]
fn what_a_search_found() {
    for size in SIZES {
        let mut stage = listed(size);
        stage.type_text("milk");
        stage.press(Key::ctrl('f'));
        let hit = |number, seq, who, excerpt: &str| {
            let at = excerpt.find("milk").unwrap();
            Hit {
                id: id(number),
                seq,
                at: wall(-90 * 60_000),
                who,
                excerpt: excerpt.into(),
                words: at..at + 4,
            }
        };
        stage.event(Event::Found {
            number: 1,
            hits: vec![
                hit(1, 1, Speaker::You, "Add milk to shopping.txt"),
                hit(1, 2, Speaker::Command, "echo milk >> shopping.txt"),
            ],
        });
        snapshot("sessions_searching", size, &mut stage);
        let long = "これはとても長い前置きで、幅のある文字がたくさん並んでいます milk \u{1b}[31mand so on \u{202e}and on";
        stage.event(Event::Found { number: 1, hits: vec![hit(6, 9, Speaker::Output, long)] });
        let searched = Searched { sessions: 6, unreadable: 1, bytes: 9_000, hits: 3, more: false };
        stage.event(Event::Searched { number: 1, searched });
        stage.code(KeyCode::Down);
        stage.code(KeyCode::Down);
        snapshot("sessions_found", size, &mut stage);
    }
}

#[test]
fn a_place_that_was_found_is_in_sight_in_the_preview_and_after_opening() {
    let mut stage = listed((80, 12));
    stage.press(Key::ctrl('f'));
    let hit = |seq| Hit { id: id(1), seq, at: wall(0), who: Speaker::You, excerpt: "it".into(), words: 0..2 };
    stage.type_text("it");
    stage.event(Event::Found { number: 3, hits: vec![hit(1), hit(7)] });
    stage.event(previewed(1, None));
    stage.code(KeyCode::Right);
    let screen = stage.screen();
    assert!(screen.contains("Add milk") && !screen.contains("牛乳"), "{screen}");
    stage.code(KeyCode::Left);
    stage.code(KeyCode::Down);
    stage.code(KeyCode::Right);
    let screen = stage.screen();
    assert!(screen.contains("牛乳 too") && !screen.contains("Add milk"), "{screen}");
    stage.told();
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(), [Command::Open(of)] if *of == id(1)));
    let mut session = opened(Some(id(1)));
    session.session = talk();
    stage.event(Event::Opened(Box::new(session)));
    let screen = stage.screen();
    assert!(stage.state.layers.is_empty());
    assert!(screen.contains("牛乳 too") && !screen.contains("   Add milk"), "{screen}");
}

#[test]
fn a_refusal_is_said_and_the_list_stays() {
    let mut stage = listed((80, 24));
    stage.code(KeyCode::Down);
    stage.code(KeyCode::Delete);
    stage.code(KeyCode::Enter);
    let sentence = "Nothing is moved: command 0193 of the session still runs.".to_owned();
    stage.event(Event::Refused { why: Refusal::Cannot, sentence, text: None });
    let screen = stage.screen();
    assert!(screen.contains("still runs") && screen.contains("Nightly backup"), "{screen}");
    assert!(!screen.contains("to the trash?"), "{screen}");
}

#[test]
fn a_watched_session() {
    for size in SIZES {
        let mut stage = Stage::new(size.0, size.1);
        let mut session = opened(Some(id(3)));
        session.session = talk();
        session.read_only = Some(crate::agent::ReadOnly::OpenElsewhere(Some(holder())));
        stage.event(Event::Opened(Box::new(session)));
        stage.event(Event::Phase(crate::agent::Phase::ReadOnly));
        snapshot("watched", size, &mut stage);
        stage.event(Event::Watched(Watched::Free { running: false }));
        snapshot("watched_free", size, &mut stage);
        stage.type_text("draft");
        stage.code(KeyCode::Enter);
        assert!(matches!(stage.told().as_slice(), [Command::Open(of)] if *of == id(3)));
        let mut session = opened(Some(id(3)));
        session.session = talk();
        stage.event(Event::Opened(Box::new(session)));
        assert_eq!(stage.state.composer.text(), "draft", "what is written stays");
    }
}

#[test]
fn a_fork_is_told_from_its_origin() {
    let mut stage = Stage::open(80, 24);
    let origin = SessionRow { title: "Fix the parser".into(), ..rows().remove(0) };
    let fork = SessionRow { id: id(9), is_fork: true, ..origin.clone() };
    stage.event(Event::Sessions(vec![origin, fork]));
    stage.press(Key::ctrl('s'));
    let screen = stage.screen();
    assert!(screen.contains("  Fix the parser") && screen.contains("(fork) Fix the parser"), "{screen}");
}

#[test]
fn no_key_at_the_foot_is_cut() {
    for (columns, rows_high, all) in [(80, 24, true), (80, 12, false), (40, 24, false), (40, 12, false)] {
        let mut stage = Stage::open(columns, rows_high);
        stage.event(Event::Sessions(rows()));
        stage.press(Key::ctrl('s'));
        let screen = stage.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let foot = lines[usize::from(rows_high) - 2..usize::from(rows_high)].join("   ");
        assert!(foot.contains("Enter open") && foot.trim_end().ends_with("Esc close"), "{screen}");
        if all {
            for key in ["Ctrl+R rename", "Del to the trash", "Ctrl+K fork", "F1 help"] {
                assert!(foot.contains(key), "{key}: {screen}");
            }
        }
    }
}
