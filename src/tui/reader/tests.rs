use super::*;
use crate::agent::{Event, Holder, Phase, ReadOnly, RunningCommand, Watched};
use crate::record::Outcome;
use crate::tui::effects::Effect;
use crate::tui::input::{Input, Key};
use crate::tui::pages::Saving;
use crate::tui::state::Layer;
use crate::tui::testing::{Disk, Stage, dispatch, opened, wall};
use crossterm::event::KeyCode;

/// A reader of an output with this content.
struct Reading {
    stage: Stage,
    disk: Disk,
}

impl Reading {
    fn of(size: (u16, u16), content: &[u8]) -> Self {
        let mut stage = Stage::open(size.0, size.1);
        stage.message("go");
        stage.response("", 1, &["make"]);
        stage.ran(1, "make", "");
        stage.press(Key::ctrl('o'));
        let mut reading = Self { stage, disk: Disk::with(content) };
        reading.serve();
        reading
    }

    fn serve(&mut self) {
        self.disk.serve(&mut self.stage);
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.chars() {
            match key {
                '\n' => self.stage.code(KeyCode::Enter),
                '\u{1b}' => self.stage.code(KeyCode::Esc),
                key => self.stage.press(Key::char(key)),
            }
            self.serve();
        }
        self
    }

    fn rows(&mut self) -> Vec<String> {
        self.stage.screen().lines().map(str::to_owned).collect()
    }

    /// The first row of the text.
    fn first(&mut self) -> String {
        self.rows()[2].clone()
    }

    fn last_row(&mut self) -> String {
        let rows = self.rows();
        rows[rows.len() - 2].clone()
    }

    /// Column and row of the cursor.
    fn cursor(&mut self) -> String {
        self.rows().pop().unwrap().replace("cursor ", "")
    }

    /// What was to be copied, and how many lines.
    fn copied(&mut self) -> (String, usize) {
        let mut copies =
            std::mem::take(&mut self.stage.effects).into_iter().filter_map(|effect| match effect {
                Effect::Copy(text, lines) => Some((text, lines)),
                _ => None,
            });
        copies.next_back().unwrap()
    }

    /// What was to be saved: all or these rows, and where.
    fn saved(&mut self) -> (Option<std::ops::Range<usize>>, Saving) {
        let mut saves =
            std::mem::take(&mut self.stage.effects).into_iter().filter_map(|effect| match effect {
                Effect::Page(_, Order::Save(rows, saving)) => Some((rows, saving)),
                _ => None,
            });
        saves.next_back().unwrap()
    }
}

fn lines(count: usize) -> Vec<u8> {
    (1..=count).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
}

#[test]
fn keys_move_as_in_less() {
    let mut reading = Reading::of((80, 24), &lines(500));
    assert_eq!(reading.first(), "line 1");
    for (keys, expected) in [
        ("j", "line 2"),
        (" ", "line 22"),
        ("k", "line 21"),
        ("d", "line 32"),
        ("u", "line 21"),
        ("G", "line 480"),
        ("j", "line 480"),
        ("b", "line 460"),
        ("g", "line 1"),
        ("100G", "line 100"),
        ("7g", "line 7"),
        ("10j", "line 17"),
        ("3k", "line 14"),
        ("2 ", "line 54"),
        ("9999G", "line 480"),
        ("0j", "line 480"),
        ("5\u{1b}g", "line 1"),
    ] {
        reading.press(keys);
        assert_eq!(reading.first(), expected, "after {keys}");
    }
    reading.press("\u{1b}");
    assert!(reading.stage.state.layers.is_empty());
}

#[test]
fn a_search_goes_down_and_up() {
    let mut reading = Reading::of((80, 24), &lines(3000));
    reading.press("/line 25\n");
    for (keys, expected) in [
        ("", 25),
        ("n", 250),
        ("n", 251),
        ("N", 250),
        ("N", 25),
        ("/LINE 9\n", 0),
        ("/line 77\n", 77),
        ("?ne 6", 0),
    ] {
        reading.press(keys);
        let rows = reading.rows();
        let cursor = reading.cursor();
        let (_, row) = cursor.split_once(',').unwrap();
        let row = row.parse::<usize>().unwrap();
        if expected > 0 {
            assert_eq!(rows[row], format!("line {expected}"), "after {keys}");
        }
    }
    // What is typed and not entered searches nothing.
    assert_eq!(reading.last_row(), " ?ne 6");
    assert_eq!(reading.cursor(), "6,23");
    reading.press("0\n");
    assert!(reading.rows().contains(&"line 60".to_owned()));
    reading.press("n");
    assert!(reading.last_row().contains("\"ne 60\" is not found above."), "{}", reading.last_row());
    reading.press("/absent\n");
    assert!(reading.last_row().contains("\"absent\" is not found below."));
}

#[test]
fn what_is_found_in_a_long_line_is_brought_into_sight() {
    let mut content = vec![b'x'; 1 << 20];
    content[700_000..700_006].copy_from_slice(b"needle");
    // Across two pieces of the line.
    content[16_381..16_387].copy_from_slice(b"needle");
    let mut reading = Reading::of((80, 24), &content);
    for (keys, place) in [("/needle\n", 16_381), ("n", 700_000)] {
        reading.press(keys);
        let (cursor, rows) = (reading.cursor(), reading.rows());
        let (column, row) = cursor.split_once(',').unwrap();
        let (column, row) = (column.parse::<usize>().unwrap(), row.parse::<usize>().unwrap());
        // Pieces of a line are folded on their own.
        assert_eq!(column, place % (16 << 10) % 80, "after {keys}");
        assert!(
            rows[row][column..].starts_with(&"needle"[..6.min(80 - column).min(rows[row].len() - column)])
        );
    }
    reading.press("w");
    reading.press("gn");
    assert!(reading.rows().iter().any(|row| row.contains("ne")), "{:?}", reading.rows());
}

#[test]
fn a_search_in_progress_can_be_stopped() {
    let mut reader = Reader::of_page("x", PageId(1), None, None);
    assert!(matches!(reader.search("word", Side::First), Wish::Order(Order::Find(_))));
    reader.told(Told::Searched { number: 1, percent: 40 });
    assert_eq!(reader.searching(), Some(("word", 40)));
    assert!(matches!(reader.key(Key::plain(KeyCode::Esc)), Wish::Order(Order::StopFinding)));
    assert_eq!(reader.searching(), None);
    // Its result, already on its way, moves nothing.
    assert!(matches!(reader.told(Told::Found { number: 1, row: Some(99) }), Wish::Nothing));
    assert!(reader.search.hit.is_none());
    assert!(matches!(reader.key(Key::plain(KeyCode::Esc)), Wish::Close));
}

#[test]
fn marked_lines_are_copied_whole() {
    let mut reading = Reading::of((80, 24), &lines(300));
    for (keys, expected, count) in
        [("vjjc", "line 1\nline 2\nline 3", 3), ("5Gvc", "line 5", 1), ("vkkc", "line 3\nline 4\nline 5", 3)]
    {
        reading.press(keys);
        assert_eq!(reading.copied(), (expected.to_owned(), count), "after {keys}");
    }
    reading.press("g100Gv/line 120\n");
    assert!(reading.last_row().contains("21 lines marked"), "{}", reading.last_row());
    reading.press("c");
    let (text, count) = reading.copied();
    assert_eq!((count, text.lines().last()), (21, Some("line 120")));
    reading.press("gc");
    assert_eq!(reading.copied().1, 21, "the visible ones");
    reading.press("vG\u{1b}c");
    assert_eq!(reading.copied().1, 21, "Esc ends marking");
}

#[test]
fn too_much_is_not_copied() {
    let mut reading = Reading::of((80, 24), &lines(30_000));
    reading.press("vGc");
    assert!(!reading.stage.effects.iter().any(|effect| matches!(effect, Effect::Copy(..))));
    assert!(reading.last_row().contains("more than 100 KiB"), "{}", reading.last_row());
}

#[test]
fn a_file_is_named_and_never_replaced_unasked() {
    let mut reading = Reading::of((80, 24), &lines(50));
    reading.press("sout.txt\n");
    let (rows, saving) = reading.saved();
    assert_eq!((rows, saving.overwrite), (None, false));
    assert_eq!(saving.path, PathBuf::from("/home/me/shop/out.txt"));
    let exists = crate::tui::pages::Saved::Exists(saving.path.clone());
    for (answer, replaced) in [('n', false), ('\n', false), ('y', true)] {
        let told = Told::Saved(exists.clone());
        let id = reading.stage.state.open_pages()[0];
        reading.stage.happen(crate::tui::update::Happening::Page(id, told));
        assert!(
            reading.last_row().contains("y replaces it, any other key keeps it: ~/shop/out.txt exists."),
            "{}",
            reading.last_row()
        );
        reading.press(&answer.to_string());
        let saves = reading.stage.effects.iter().any(|effect| matches!(effect, Effect::Page(..)));
        assert_eq!(saves, replaced, "after {answer:?}");
        if replaced {
            assert!(reading.saved().1.overwrite);
        }
    }
    reading.press("vjs~/two\n");
    let (rows, saving) = reading.saved();
    assert_eq!((rows, saving.path), (Some(0..2), PathBuf::from("/home/me/two")));
    reading.press("\u{1b}s\u{1b}s\n");
    assert!(!reading.stage.state.layers.is_empty() && reading.stage.effects.is_empty());
}

#[test]
fn lines_are_wrapped_or_moved_sideways() {
    let long: String = (0..40).map(|n| format!("{n:04}-")).collect();
    let mut reading = Reading::of((80, 24), format!("{long}\nshort\n").as_bytes());
    assert_eq!(reading.rows()[4..6], [long[160..].to_owned(), "short".to_owned()]);
    reading.press("l");
    assert!(reading.last_row().contains("Lines are wrapped"));
    reading.press("w");
    assert_eq!(reading.rows()[2..4], [long[..80].to_owned(), "short".to_owned()]);
    for (keys, from) in [("l", 40), ("l", 80), ("h", 40), ("hh", 0), ("7l", 7)] {
        reading.press(keys);
        assert_eq!(reading.first(), long[from..from + 80], "after {keys}");
    }
    reading.press("#");
    assert_eq!(reading.first(), format!("  1 {}", &long[7..83]));
    reading.press("/0030\n");
    assert!(reading.first().contains("0030"), "{}", reading.first());
}

#[test]
fn a_running_command_is_followed_until_a_person_scrolls() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["make"]);
    stage.approve(1, "make");
    stage.start(1, "make");
    stage.event(Event::Phase(Phase::Running(RunningCommand {
        dispatch: dispatch(1),
        summary: "make".into(),
        started_at: wall(0),
        supervised: true,
        found: false,
    })));
    stage.press(Key::ctrl('o'));
    let mut reading = Reading { stage, disk: Disk::with(b"") };
    reading.serve();
    assert!(reading.rows()[0].ends_with("nothing yet   following"), "{}", reading.rows()[0]);
    let grow = |reading: &mut Reading, from: usize, to: usize| {
        let new: String = (from..=to).map(|n| format!("line {n}\n")).collect();
        reading.disk.append(new.as_bytes());
        reading.stage.event(Event::Output { dispatch: dispatch(1), bytes: new.into_bytes() });
        reading.serve();
    };
    grow(&mut reading, 1, 100);
    assert_eq!(reading.first(), "line 80");
    grow(&mut reading, 101, 200);
    assert_eq!(reading.first(), "line 180");
    reading.press("k");
    grow(&mut reading, 201, 300);
    assert_eq!(reading.first(), "line 179");
    assert!(reading.rows()[0].ends_with("running"));
    reading.press("F");
    grow(&mut reading, 301, 400);
    assert_eq!(reading.first(), "line 380");
    reading.disk.append(b"the end\n");
    reading.stage.result(1, Outcome::Completed, |_| {});
    reading.serve();
    assert_eq!(reading.first(), "line 381");
    assert!(!reading.rows()[0].contains("following"));
}

#[test]
fn what_is_not_known_to_run_is_not_called_running() {
    let mut before = Stage::open(80, 24);
    before.message("go");
    before.response("", 1, &["make"]);
    before.approve(1, "make");
    before.start(1, "make");
    let session = before.state.conversation.session.take().unwrap();
    let holder = Holder { pid: 4121, host: "box".into(), terminal: None, since: wall(0) };
    for (why, said) in [
        (ReadOnly::OpenElsewhere(Some(holder)), Some("following")),
        (ReadOnly::KeyGone("The key is gone.".into()), None),
    ] {
        let mut stage = Stage::new(80, 24);
        let mut read_only = opened(Some(session.id()));
        read_only.session = session.clone();
        read_only.read_only = Some(why);
        stage.event(Event::Opened(Box::new(read_only)));
        stage.press(Key::ctrl('o'));
        let mut reading = Reading { stage, disk: Disk::with(b"one\n") };
        reading.serve();
        let head = reading.rows()[0].clone();
        assert_eq!(["following", "running"].into_iter().find(|word| head.ends_with(word)), said, "{head}");
        reading.stage.event(Event::Watched(Watched::Free { running: false }));
        let head = reading.rows()[0].clone();
        assert!(head.ends_with("100 %"), "{head}");
    }
}

#[test]
fn the_conversation_is_read_in_full() {
    let mut stage = Stage::open(80, 24);
    let message: String = (1..=60).map(|n| format!("word {n}\n")).collect();
    stage.message(&message);
    let output: String = (1..=40).map(|n| format!("output {n}\n")).collect();
    stage.response("An answer.", 1, &["make"]);
    stage.ran(1, "make", &output);
    stage.press(Key::ctrl('t'));
    let mut reading = Reading { stage, disk: Disk::default() };
    assert!(reading.rows().iter().any(|row| row.contains("output 40")), "as the end is followed");
    reading.press("g");
    assert!(reading.first().contains("You"), "{:?}", reading.rows());
    reading.press("/output 3\n");
    assert!(reading.rows().iter().any(|row| row.trim() == "output 3"), "what a panel hides is here");
    reading.press("vjc");
    assert_eq!(reading.copied(), ("   output 3\n   output 4".to_owned(), 2));
    reading.press("G");
    reading.stage.resize(40, 12);
    assert!(reading.rows().iter().any(|row| row.contains("output 40")), "{:?}", reading.rows());
    reading.press("sall.txt\n");
    let saved = reading.stage.effects.iter().find_map(|effect| match effect {
        Effect::Save(text, saving) => Some((text, saving)),
        _ => None,
    });
    let (text, saving) = saved.unwrap();
    assert!(text.contains("word 60") && text.contains("output 1\n") && !saving.overwrite);
}

#[test]
fn the_words_after_a_slash_open_and_copy() {
    let mut stage = Stage::open(80, 24);
    stage.type_text("/copy");
    stage.code(KeyCode::Enter);
    assert!(stage.state.flash.as_ref().unwrap().text.contains("has not answered"));
    stage.message("go");
    stage.response("**An** answer.\n\nOf two parts.", 1, &[]);
    stage.type_text("/copy");
    stage.code(KeyCode::Enter);
    let mut reading = Reading { stage, disk: Disk::default() };
    assert_eq!(reading.copied(), ("**An** answer.\n\nOf two parts.".to_owned(), 3));
    reading.stage.type_text("/transcript");
    reading.stage.code(KeyCode::Enter);
    assert!(
        matches!(reading.stage.state.layers.as_slice(), [Layer::Reader(reader)] if reader.kind == Kind::Conversation)
    );
}

#[test]
fn a_paste_goes_into_a_question_or_nowhere() {
    let mut reading = Reading::of((80, 24), &lines(50));
    reading.stage.input(Input::Paste("q".into()));
    assert_eq!(reading.stage.state.layers.len(), 1);
    reading.press("/");
    reading.stage.input(Input::Paste("line 7\nq".into()));
    reading.press("\n");
    assert!(reading.rows().contains(&"line 7".to_owned()));
}

#[test]
fn a_place_is_kept_while_another_size_is_drawn() {
    let mut reading = Reading::of((80, 24), &lines(500));
    reading.press("200G");
    for (columns, rows) in [(40, 12), (120, 40), (80, 24)] {
        reading.stage.resize(columns, rows);
        reading.serve();
        assert_eq!(reading.rows()[2], "line 200", "{columns} x {rows}");
    }
    reading.press("#");
    assert_eq!(reading.first(), "200 line 200");
}

#[test]
fn what_is_not_read_yet_leaves_what_was_there() {
    let mut reading = Reading::of((80, 24), &lines(500));
    let before = reading.rows();
    reading.stage.press(Key::char('G'));
    let waiting = reading.rows();
    assert!(waiting[0].contains(" 1-"), "{}", waiting[0]);
    assert_eq!(waiting[1..5], before[1..5]);
    reading.serve();
    assert_eq!(reading.first(), "line 480");
}

#[test]
fn any_bytes_can_be_read_at_any_place() {
    let mut noise = Vec::new();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..200_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.push(state.to_le_bytes()[3]);
    }
    let mut reading = Reading::of((80, 24), &noise);
    for keys in
        ["G", "b", "w", "l", "#", "g", "/e\n", "n", "n", "N", "v", " ", "c", "1000G", "w", "d", "u", "F"]
    {
        reading.press(keys);
        let (buffer, _) = reading.stage.cells();
        let hostile = buffer.content().iter().find(|cell| cell.symbol().contains(char::is_control));
        assert!(hostile.is_none(), "after {keys}: {hostile:?}");
    }
}
