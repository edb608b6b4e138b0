use super::{Input, Key, Machine};
use crate::tui::moment::at;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What crossterm makes of these bytes when one read delivers them.
/// `^x` is Ctrl+x, `\r` Enter, `\x1b` a lone Esc, `~x` after ESC in one read Alt+x.
fn keys(text: &str) -> Vec<Event> {
    text.chars()
        .map(|c| {
            let (code, mods) = match c {
                '\r' => (KeyCode::Enter, KeyModifiers::NONE),
                '\t' => (KeyCode::Tab, KeyModifiers::NONE),
                '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
                '\x07' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
                '\n' => (KeyCode::Char('j'), KeyModifiers::CONTROL),
                c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            Event::Key(KeyEvent::new(code, mods))
        })
        .collect()
}

fn alt(c: char) -> Event {
    Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::ALT))
}

fn pasted(text: &str) -> Event {
    Event::Paste(text.to_owned())
}

/// Feeds reads, each at its time, then lets all holds run out. A screen that is
/// late sees no hold run out before the last read.
fn run(remote: bool, late: bool, reads: &[(u64, Vec<Event>)]) -> Vec<Input> {
    let mut machine = Machine::new(remote);
    for (time, events) in reads {
        if !late {
            machine.expire(at(*time));
        }
        for event in events {
            machine.feed(event.clone(), at(*time));
        }
    }
    machine.expire(at(1_000_000));
    assert_eq!(machine.deadline(), None);
    machine.take().into_iter().map(|timed| timed.input).collect()
}

fn near(reads: &[(u64, Vec<Event>)]) -> Vec<Input> {
    run(false, false, reads)
}

fn key(code: KeyCode) -> Input {
    Input::Key(Key::plain(code))
}

fn typed(text: &str) -> Vec<Input> {
    text.chars().map(|c| Input::Key(Key::char(c))).collect()
}

fn paste(text: &str) -> Vec<Input> {
    vec![Input::Paste(text.to_owned())]
}

#[test]
fn a_lone_esc_is_held_and_told() {
    assert_eq!(near(&[(0, keys("\x1b"))]), [key(KeyCode::Esc)]);
    assert_eq!(
        near(&[(0, keys("\x1b")), (31, keys("[A"))]),
        [vec![key(KeyCode::Esc)], typed("[A")].concat(),
        "after the hold it was an Esc"
    );
    assert_eq!(near(&[(0, keys("\x1b")), (5, keys("\x1b"))]), [key(KeyCode::Esc), key(KeyCode::Esc)]);
}

#[test]
fn a_sequence_that_was_there_before_it_was_read_is_one() {
    let late = |rest| run(false, true, &[(0, keys("\x1b")), (500, keys(rest)), (520, keys("c\x1b[201~"))]);
    assert_eq!(late("[200~ab"), paste("abc"), "nothing of a paste is typed");
    assert_eq!(run(false, true, &[(0, keys("\x1b")), (500, keys("[A"))]), [key(KeyCode::Up)]);
    let line = [(0, keys("a\r")), (500, keys("b"))];
    let sent = [typed("a"), vec![key(KeyCode::Enter)], typed("b")].concat();
    assert_eq!(run(false, true, &line), sent, "a line that was sent stays one");
}

#[test]
fn what_is_held_is_told_at_its_time() {
    let mut machine = Machine::new(false);
    machine.feed(keys("\x1b").remove(0), at(100));
    assert!(machine.take().is_empty());
    assert_eq!(machine.deadline(), Some(at(130)));
    machine.expire(at(129));
    assert!(machine.take().is_empty());
    machine.expire(at(130));
    assert_eq!(machine.take()[0].at, at(100), "it was pressed when it was pressed");
}

#[test]
fn sequences_torn_behind_their_esc_are_joined() {
    let shifted = Input::Key(Key { code: KeyCode::Enter, mods: KeyModifiers::SHIFT });
    let table = [
        ("[A", key(KeyCode::Up)),
        ("[B", key(KeyCode::Down)),
        ("OC", key(KeyCode::Right)),
        ("[H", key(KeyCode::Home)),
        ("[5~", key(KeyCode::PageUp)),
        ("[6~", key(KeyCode::PageDown)),
        ("[3~", key(KeyCode::Delete)),
        ("[Z", key(KeyCode::BackTab)),
        ("[15~", key(KeyCode::F(5))),
        ("[[A", key(KeyCode::F(1))),
        ("OP", key(KeyCode::F(1))),
        ("[1;5A", Input::Key(Key { code: KeyCode::Up, mods: KeyModifiers::CONTROL })),
        ("[1;5H", Input::Key(Key { code: KeyCode::Home, mods: KeyModifiers::CONTROL })),
        ("[13;2u", shifted),
        ("[27u", key(KeyCode::Esc)),
        ("[99;5u", Input::Key(Key::ctrl('c'))),
        ("b", Input::Key(Key::alt('b'))),
        ("\r", Input::Key(Key { code: KeyCode::Enter, mods: KeyModifiers::ALT })),
    ];
    for (rest, expected) in table {
        let reads = [(0, keys("\x1b")), (20, keys(rest))];
        assert_eq!(near(&reads), std::slice::from_ref(&expected), "{rest:?}");
        let reads = [(0, keys("\x1b")), (90, keys(rest))];
        assert_eq!(run(true, false, &reads), [expected], "{rest:?}, far away");
    }
}

#[test]
fn torn_reports_and_unknown_sequences_are_dropped() {
    for rest in ["[?62;c", "[24;80R", "[<0;10;10M", "[<0;10;10m", "[I", "[O", "[?1;2c", "[M !!", "[65;1:3u"] {
        let reads = [(0, keys("\x1b")), (20, keys(rest)), (200, keys("x"))];
        assert_eq!(near(&reads), typed("x"), "{rest:?}");
    }
}

#[test]
fn late_replies_are_dropped() {
    let bell = [(0, [vec![alt(']')], keys("11;rgb:0000/0000/0000\x07")].concat()), (1, keys("x"))];
    assert_eq!(near(&bell), typed("x"));
    let st = [(0, [vec![alt(']')], keys("52;c;aGk="), vec![alt('\\')], keys("x")].concat())];
    assert_eq!(near(&st), typed("x"));
    let dcs = [(0, [vec![alt('P')], keys(">|tmux 3.4"), vec![alt('\\')], keys("x")].concat())];
    assert_eq!(near(&dcs), typed("x"));
    let torn =
        [(0, keys("\x1b")), (20, keys("]11;rgb:ff")), (40, keys("\x1b")), (45, keys("\\")), (46, keys("x"))];
    assert_eq!(near(&torn), typed("x"));
    let unfinished = [(0, [vec![alt(']')], keys("11;rgb:")].concat()), (150, keys("x"))];
    assert_eq!(near(&unfinished), typed("x"), "silence ends a reply");
}

#[test]
fn alt_keys_that_open_no_reply_are_keys() {
    assert_eq!(near(&[(0, vec![alt(']')])]), [Input::Key(Key::alt(']'))]);
    let hand = [(0, vec![alt(']')]), (200, keys("1"))];
    assert_eq!(near(&hand), [vec![Input::Key(Key::alt(']'))], typed("1")].concat());
}

#[test]
fn a_bracketed_paste_is_one_deed_with_one_kind_of_line_end() {
    assert_eq!(near(&[(0, vec![pasted("a\r\nb\rc\n")])]), paste("a\nb\nc\n"));
}

#[test]
fn a_paste_with_the_end_marker_inside_stays_a_paste() {
    let rest = [keys("more\ry\r"), vec![alt('c')], keys("\x1b"), keys("\r")].concat();
    let reads = [(0, vec![pasted("first")]), (3, rest), (20, keys("last\r"))];
    assert_eq!(near(&reads), paste("firstmore\ny\nc\u{1b}\nlast\n"));
    assert_eq!(near(&[(0, vec![pasted("evil")]), (0, keys("\r"))]), paste("evil\n"));
}

#[test]
fn a_paste_whose_start_is_torn_stays_a_paste() {
    for end in [vec![], keys("\x1b[201~")] {
        let reads = [(0, keys("\x1b")), (20, keys("[200~rm -rf x\ry\r")), (140, keys("z\r")), (150, end)];
        assert_eq!(near(&reads), paste("rm -rf x\ny\nz\n"));
    }
}

#[test]
fn a_burst_with_an_enter_inside_is_a_paste() {
    assert_eq!(near(&[(0, keys("a\rb\tc\r"))]), [typed("a"), paste("\nb\tc\n")].concat());
    assert_eq!(near(&[(0, keys("\r\r"))]), paste("\n\n"));
    assert_eq!(near(&[(0, keys("\n")), (0, keys("b"))]).len(), 2, "Ctrl+J is a newline anyway");
}

#[test]
fn an_enter_of_a_person_is_an_enter() {
    let reads = [(0, keys("hello")), (350, keys("\r")), (500, keys("x"))];
    assert_eq!(near(&reads), [typed("hello"), vec![key(KeyCode::Enter)], typed("x")].concat());
    assert_eq!(near(&[(0, keys("hello\r"))]), [typed("hello"), vec![key(KeyCode::Enter)]].concat());
}

#[test]
fn a_line_that_comes_at_once_is_one_deed_and_its_enter_an_enter() {
    let line = "a line that a program types";
    let told = near(&[(0, keys(&format!("{line}\r")))]);
    assert_eq!(told.last(), Some(&key(KeyCode::Enter)));
    assert_eq!(text_of(&told[..told.len() - 1]), line);
    assert!(told.len() < line.len(), "{told:?}");
    let paste = near(&[(0, vec![pasted("end marker inside")]), (300, keys(&format!("{line}\r")))]);
    assert_eq!(text_of(&paste), format!("end marker inside{line}\n"), "soon after a paste it is more of it");
}

fn text_of(told: &[Input]) -> String {
    let text = |input: &Input| match input {
        Input::Key(key) => key.typed().into_iter().collect(),
        Input::Paste(text) => text.clone(),
        Input::Mouse(_) | Input::Resize => String::new(),
    };
    told.iter().map(text).collect()
}

#[test]
fn only_presses_count() {
    let release = KeyEvent::new_with_kind(KeyCode::Char('y'), KeyModifiers::NONE, KeyEventKind::Release);
    let repeat = KeyEvent::new_with_kind(KeyCode::Char('y'), KeyModifiers::NONE, KeyEventKind::Repeat);
    assert_eq!(near(&[(0, vec![Event::Key(release), Event::Key(repeat)])]), []);
}

#[test]
fn a_letter_carries_its_shift() {
    assert_eq!(near(&[(0, keys("A"))]), typed("A"));
}

#[test]
fn a_megabyte_in_pieces_is_one_paste() {
    let line = "x".repeat(1000) + "\r";
    let mut reads = vec![(0, vec![pasted("start")])];
    // The first reads follow at once, the others with pauses.
    reads.extend((1..1000u64).map(|i| (i.min(4) * 40 + i.saturating_sub(4) * 200, keys(&line))));
    let told = near(&reads);
    assert_eq!(told.len(), 1);
    assert!(matches!(&told[0], Input::Paste(text) if text.len() == 5 + 999 * 1001));
}

#[test]
fn cr_lf_in_a_torn_paste_is_one_line_end() {
    let reads = [(0, keys("\x1b")), (20, keys("[200~a\r\nb\rc"))];
    assert_eq!(near(&reads), [Input::Paste("a\nb\nc".into())]);
}
