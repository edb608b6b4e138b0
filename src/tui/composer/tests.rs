use super::{Composer, Edited};
use crate::tui::keys::Act;

fn rows(composer: &mut Composer, room: usize, height: usize) -> (Vec<String>, (usize, usize)) {
    let drawn = composer.draw(room, height);
    (drawn.rows.iter().map(crate::text::Row::text).collect(), drawn.cursor)
}

fn typed(text: &str) -> Composer {
    let mut composer = Composer::default();
    for c in text.chars() {
        composer.type_char(c);
    }
    composer
}

#[test]
fn rows_break_after_spaces_and_the_cursor_has_a_cell() {
    let mut composer = typed("one two three");
    assert_eq!(rows(&mut composer, 8, 9), (vec!["one two ".into(), "three".into()], (1, 5)));
    let mut composer = typed("abcdefgh");
    assert_eq!(rows(&mut composer, 4, 9), (vec!["abcd".into(), "efgh".into(), String::new()], (2, 0)));
}

#[test]
fn width_is_counted_per_grapheme() {
    for (text, column) in [("日本", 4), ("e\u{301}e", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("a\u{200b}b", 2)]
    {
        let mut composer = typed(text);
        assert_eq!(rows(&mut composer, 40, 1).1, (0, column), "{text:?}");
        composer.edit(Act::DeleteLeft);
        composer.edit(Act::DeleteLeft);
        composer.edit(Act::DeleteLeft);
        assert!(composer.is_empty(), "{text:?}: at most a grapheme a key: {:?}", composer.text());
    }
}

#[test]
fn hostile_text_is_drawn_clean_and_sent_as_it_is() {
    let mut composer = Composer::default();
    let text = "a\u{1b}[31mb\u{202e}c\u{7}";
    assert_eq!(composer.paste(text), 0);
    let (drawn, _) = rows(&mut composer, 40, 1);
    assert!(!drawn[0].contains(|c: char| c.is_control() || c == '\u{202e}'), "{drawn:?}");
    assert_eq!(composer.text(), text);
    assert_eq!(composer.paste("x\0y\0"), 2, "a NUL cannot be sent");
}

#[test]
fn large_pastes_are_folded_and_sent_whole() {
    let paste = "line\n".repeat(21);
    let mut composer = typed("see ");
    composer.paste(&paste);
    assert_eq!(rows(&mut composer, 40, 1).0, ["see [paste: 21 lines, 1 KiB]"]);
    assert_eq!(composer.text(), format!("see {paste}"));
    composer.edit(Act::Left);
    assert_eq!(composer.edit(Act::Right), Edited::Text, "Right unfolds");
    assert_eq!(composer.height(40), 22);
    assert_eq!(composer.text(), format!("see {paste}"));
    let mut composer = Composer::default();
    composer.paste(&"x".repeat(4097));
    composer.edit(Act::DeleteLeft);
    assert!(composer.is_empty(), "Backspace removes it whole");
    let mut composer = Composer::default();
    composer.paste(&"line\n".repeat(20));
    assert_eq!(composer.height(40), 21, "up to 20 lines it is not folded");
}

#[test]
fn a_paste_cannot_pass_for_another() {
    let mut composer = Composer::default();
    composer.paste(&"secret\n".repeat(30));
    composer.paste("\u{f0000}");
    composer.type_char('\u{f0000}');
    assert_eq!(composer.text().matches("secret").count(), 30);
}

#[test]
fn up_and_down_walk_rows_then_messages() {
    let mut composer = Composer::default();
    composer.remember("first");
    composer.remember("second");
    composer.paste("one\ntwo");
    composer.draw(40, 3);
    assert_eq!(composer.edit(Act::Up), Edited::Cursor);
    assert_eq!(composer.edit(Act::Up), Edited::Text);
    assert_eq!(composer.text(), "second");
    composer.edit(Act::Up);
    assert_eq!(composer.text(), "first");
    composer.edit(Act::Up);
    assert_eq!(composer.text(), "first", "the oldest stays");
    composer.edit(Act::Down);
    composer.edit(Act::Down);
    assert_eq!(composer.text(), "one\ntwo", "the draft comes back");
    assert_eq!(composer.edit(Act::Down), Edited::Past);
    assert_eq!(Composer::default().edit(Act::Up), Edited::Past);
}

#[test]
fn a_backslash_before_enter_begins_a_line() {
    let mut composer = typed("one\\");
    assert!(composer.continue_line());
    composer.type_char('2');
    assert_eq!(composer.text(), "one\n2");
    assert!(!composer.continue_line());
}

#[test]
fn readline_keys_cut_and_yank() {
    let mut composer = typed("one two three");
    composer.edit(Act::KillWordLeft);
    assert_eq!(composer.text(), "one two ");
    composer.edit(Act::LineStart);
    composer.edit(Act::Yank);
    assert_eq!(composer.text(), "threeone two ");
    composer.edit(Act::KillToEnd);
    composer.edit(Act::Undo);
    assert_eq!(composer.text(), "threeone two ");
}

#[test]
fn the_cursor_stays_in_sight() {
    let mut composer = Composer::default();
    composer.paste(&(0..20).map(|n| n.to_string()).collect::<Vec<_>>().join("\n"));
    assert_eq!(rows(&mut composer, 10, 3), (vec!["17".into(), "18".into(), "19".into()], (2, 2)));
    for _ in 0..10 {
        composer.edit(Act::Up);
    }
    assert_eq!(rows(&mut composer, 10, 3), (vec!["9".into(), "10".into(), "11".into()], (0, 1)));
    assert_eq!(rows(&mut composer, 1, 1).0.len(), 1, "any size is drawn");
}

#[test]
fn every_key_of_readline_does_what_it_does_there() {
    use Act::{
        KillSpaceLeft, KillToEnd, KillToStart, KillWordLeft, KillWordRight, Left, LineEnd, LineStart, Undo,
        WordLeft, WordRight, Yank,
    };
    // `|` is the cursor, before the keys and after them.
    for (before, acts, after) in [
        ("one two|", &[LineStart][..], "|one two"),
        ("|one two", &[LineEnd], "one two|"),
        ("one |two", &[KillToEnd], "one |"),
        ("one |two", &[KillToEnd, Yank, Yank], "one twotwo|"),
        ("one |two", &[KillToStart], "|two"),
        ("one |two", &[KillToStart, LineEnd, Yank], "twoone |"),
        ("see src/main.rs|", &[KillSpaceLeft], "see |"),
        ("see src/main.rs  |", &[KillSpaceLeft, Yank], "see src/main.rs  |"),
        ("see src/main.rs|", &[KillWordLeft], "see src/main.|"),
        ("one two|", &[WordLeft], "one |two"),
        ("one two|", &[WordLeft, WordLeft], "|one two"),
        ("|one two", &[WordRight], "one| two"),
        ("one| two", &[WordRight, KillToStart], "|"),
        ("|--one", &[WordRight], "--one|"),
        ("one |two three", &[KillWordRight], "one | three"),
        ("one two|", &[KillSpaceLeft, Undo], "one two|"),
        ("one two|", &[KillToStart, Undo, Left], "one tw|o"),
        ("日本 語|", &[KillSpaceLeft], "日本 |"),
    ] {
        let mut composer = typed(&before.replace('|', ""));
        let right = before.chars().rev().take_while(|c| *c != '|').count();
        for act in std::iter::repeat_n(&Left, right).chain(acts) {
            composer.edit(*act);
        }
        composer.type_char('|');
        assert_eq!(composer.text(), after, "{before:?} {acts:?}");
    }
}

#[test]
fn messages_of_earlier_sessions_come_before_those_of_this_one() {
    let mut composer = Composer::default();
    composer.remember("now");
    composer.draw(40, 3);
    composer.edit(Act::Up);
    composer.remember_earlier(vec!["long ago".into(), "before".into()]);
    assert_eq!(composer.text(), "now", "the walk stands where it stood");
    composer.edit(Act::Up);
    assert_eq!(composer.text(), "before");
    composer.edit(Act::Up);
    assert_eq!(composer.text(), "long ago");
    composer.remember_earlier((0..2_000).map(|n| n.to_string()).collect());
    assert_eq!(composer.messages().count(), 1_000, "the newest are kept");
    assert_eq!(composer.messages().last(), Some("now"));
}

#[test]
fn what_completes_takes_the_place_of_what_was_typed() {
    let mut composer = typed("see @ma and");
    for _ in 0..4 {
        composer.edit(Act::Left);
    }
    composer.complete(3, "'a b'");
    assert_eq!(composer.text(), "see 'a b' and");
    composer.type_char('!');
    assert_eq!(composer.text(), "see 'a b'! and");
}
