use super::{Choice, Rule, Spot, Standing, Told};
use crate::tui::input::Key;
use crate::tui::moment::{Moment, at};
use crossterm::event::KeyCode;

const SPOTS: &[Spot] = &[
    Spot::Choice(Choice::Run),
    Spot::Choice(Choice::RunAlways),
    Spot::Choice(Choice::Edit),
    Spot::Choice(Choice::Deny),
    Spot::Choice(Choice::DenyWithWords),
    Spot::Limit,
];

/// A dialog and the draft below it, driven by keys and times.
struct Desk {
    rule: Rule,
    draft: String,
    spots: Vec<Spot>,
    answers: Vec<Told>,
}

impl Desk {
    fn new(last_key: Option<Moment>, draft: &str) -> Self {
        Self { rule: Rule::new(last_key), draft: draft.into(), spots: SPOTS.into(), answers: Vec::new() }
    }

    fn opened(draft: &str) -> Self {
        let mut desk = Self::new(None, draft);
        desk.rule.painted(at(0));
        desk
    }

    fn key(&mut self, key: Key, time: u64) -> Told {
        let standing = Standing { draft: &self.draft, spots: &self.spots };
        let told = self.rule.key(key, at(time), standing);
        match told {
            Told::Draft(before) => {
                self.draft.extend(before);
                self.draft.extend(key.typed());
            }
            Told::TakenBack(letter) => self.draft.extend(letter),
            Told::Answer(_) | Told::Stop => self.answers.push(told),
            Told::Nothing | Told::Chosen | Told::Limit { .. } | Told::Environment => {}
        }
        told
    }

    fn press(&mut self, c: char, time: u64) -> Told {
        self.key(Key::char(c), time)
    }

    fn enter(&mut self, time: u64) -> Told {
        self.key(Key::plain(KeyCode::Enter), time)
    }
}

#[test]
fn each_letter_and_enter_after_a_pause_answer() {
    let table = [
        ('y', Choice::Run),
        ('a', Choice::RunAlways),
        ('e', Choice::Edit),
        ('n', Choice::Deny),
        ('w', Choice::DenyWithWords),
    ];
    for (letter, choice) in table {
        let mut desk = Desk::opened("");
        assert_eq!(desk.press(letter, 400), Told::Chosen);
        assert_eq!(desk.enter(500), Told::Answer(choice));
        assert_eq!(desk.draft, "");
    }
}

#[test]
fn nothing_is_chosen_and_enter_does_nothing() {
    let mut desk = Desk::opened("");
    assert_eq!(desk.rule.chosen(), None);
    assert_eq!(desk.enter(5_000), Told::Nothing);
}

#[test]
fn before_the_first_paint_nothing_is_ready() {
    let mut desk = Desk::new(None, "");
    assert_eq!(desk.press('y', 10_000), Told::Draft(None));
    assert_eq!(desk.key(Key::plain(KeyCode::Esc), 20_000), Told::Nothing);
}

#[test]
fn until_the_pause_keys_go_to_the_draft_and_enter_and_esc_nowhere() {
    let mut desk = Desk::opened("");
    assert_eq!(desk.press('y', 399), Told::Draft(None));
    assert_eq!(desk.enter(500), Told::Nothing);
    assert_eq!(desk.key(Key::plain(KeyCode::Esc), 600), Told::Nothing);
    assert_eq!(desk.key(Key::plain(KeyCode::Tab), 700), Told::Nothing);
    assert_eq!(desk.draft, "y");
    assert!(desk.rule.is_early_letter("y"), "it is no draft");
    assert!(desk.rule.is_ready(&desk.draft, at(1_100)), "so the short pause is enough");
    assert_eq!(desk.press('y', 1_100), Told::Chosen);
    assert_eq!(desk.enter(1_200), Told::Answer(Choice::Run));
}

#[test]
fn a_draft_asks_for_a_longer_pause() {
    let mut desk = Desk::new(Some(at(0)), "fix it");
    desk.rule.painted(at(100));
    assert_eq!(desk.rule.ready_at("fix it"), Some(at(1_000)));
    assert_eq!(desk.press('y', 999), Told::Draft(None));
    assert_eq!(desk.draft, "fix ity");
    assert_eq!(desk.press('n', 2_000), Told::Chosen);
    assert_eq!(desk.enter(2_300), Told::Answer(Choice::Deny));
}

#[test]
fn another_letter_takes_the_choice_back() {
    let mut desk = Desk::opened("");
    assert_eq!(desk.press('y', 400), Told::Chosen);
    assert_eq!(desk.press('n', 560), Told::Draft(Some('y')), "also one of the five");
    assert_eq!(desk.draft, "yn");
    assert_eq!(desk.rule.chosen(), None);
    assert_eq!(desk.enter(700), Told::Nothing);
    assert_eq!(desk.press('y', 1_699), Told::Draft(None), "and the wait begins again");
}

#[test]
fn a_letter_and_an_enter_in_one_breath_are_a_paste() {
    let mut desk = Desk::opened("");
    desk.press('y', 500);
    assert_eq!(desk.enter(505), Told::TakenBack(Some('y')));
    assert_eq!((desk.draft.as_str(), desk.rule.chosen()), ("y", None));
}

#[test]
fn a_paste_or_a_scroll_takes_the_choice_back() {
    let mut desk = Desk::opened("");
    desk.press('y', 500);
    assert_eq!(desk.rule.interrupted(at(600)), Some('y'));
    assert_eq!(desk.enter(700), Told::Nothing);
}

#[test]
fn a_sentence_that_goes_on_is_no_answer() {
    let mut desk = Desk::opened("give me ");
    assert_eq!(desk.press('a', 5_000), Told::Draft(None));
    assert_eq!(desk.enter(5_350), Told::Nothing);
    assert_eq!(desk.draft, "give me a");
}

#[test]
fn tab_and_arrows_walk_and_enter_answers() {
    let mut desk = Desk::opened("");
    assert_eq!(desk.key(Key::plain(KeyCode::Tab), 400), Told::Chosen);
    assert_eq!(desk.rule.chosen(), Some(Spot::Choice(Choice::Run)));
    for time in [450, 500, 550] {
        desk.key(Key::plain(KeyCode::Right), time);
    }
    assert_eq!(desk.rule.chosen(), Some(Spot::Choice(Choice::Deny)));
    desk.key(Key::plain(KeyCode::Left), 600);
    assert_eq!(desk.enter(650), Told::Answer(Choice::Edit));
}

#[test]
fn up_and_down_change_the_limit_only_on_it() {
    let mut desk = Desk::opened("");
    desk.key(Key::plain(KeyCode::BackTab), 400);
    assert_eq!(desk.rule.chosen(), Some(Spot::Limit));
    assert_eq!(desk.key(Key::plain(KeyCode::Up), 500), Told::Limit { longer: true });
    desk.rule.reopened();
    assert!(desk.rule.is_on_limit(), "the hand stays there");
    assert_eq!(desk.enter(600), Told::Nothing);
}

#[test]
fn esc_denies_and_stops() {
    let mut desk = Desk::opened("");
    assert_eq!(desk.key(Key::plain(KeyCode::Esc), 400), Told::Stop);
}

#[test]
fn what_was_not_seen_cannot_be_run() {
    let mut desk = Desk::opened("");
    desk.spots.retain(|spot| *spot != Spot::Choice(Choice::Run));
    assert_eq!(desk.press('y', 400), Told::Draft(None));
    assert_eq!(desk.enter(800), Told::Nothing);
    assert!(desk.rule.is_early_letter("y"));
}

#[test]
fn a_click_chooses_if_it_began_and_ended_there_while_ready() {
    let standing = Standing { draft: "", spots: SPOTS };
    for (down, up, expected) in [
        ((Some(Choice::Run), 400), (Some(Choice::Run), 450), Some(Spot::Choice(Choice::Run))),
        ((Some(Choice::Run), 399), (Some(Choice::Run), 450), None),
        ((Some(Choice::Deny), 400), (Some(Choice::Run), 450), None),
        ((Some(Choice::Run), 400), (None, 450), None),
    ] {
        let mut rule = Rule::new(None);
        rule.painted(at(0));
        rule.mouse_down(down.0, at(down.1), standing);
        rule.mouse_up(up.0, at(up.1), standing);
        assert_eq!(rule.chosen(), expected);
    }
}

/// A small generator with known output, so that a failing message can be found again.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }

    /// A log-normal span in milliseconds.
    fn span(&mut self, median: f64, sigma: f64) -> u64 {
        let normal = (-2.0 * (1.0 - self.next()).ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos();
        (median * (sigma * normal).exp()) as u64
    }
}

const WORDS: &[&str] = &[
    "a", "y", "n", "e", "w", "yes", "no", "any", "way", "new", "please", "add", "milk", "and", "then", "run",
    "what", "say", "is", "the", "eye", "wanna", "allow", "deny", "yeah", "every", "answer", "now", "i", "we",
];

/// A message as keys with the time before each; the last is Enter.
fn message(dice: &mut Dice) -> (String, Vec<(Key, u64)>) {
    let words: Vec<&str> = (0..2 + dice.below(7)).map(|_| WORDS[dice.below(WORDS.len())]).collect();
    let mut keys = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let space = (index > 0).then_some(' ');
        for (place, letter) in space.into_iter().chain(word.chars()).enumerate() {
            let begins_word = place == usize::from(index > 0);
            let pause = if begins_word && dice.next() < 0.15 { dice.span(900.0, 0.5) } else { 0 };
            keys.push((Key::char(letter), dice.span(160.0, 0.4) + pause));
        }
    }
    keys.push((Key::plain(KeyCode::Enter), 350));
    (words.join(" "), keys)
}

#[test]
fn ten_thousand_messages_typed_across_its_opening_answer_nothing() {
    let mut dice = Dice(7);
    let mut taken_back = 0;
    for number in 0..10_000 {
        let (text, keys) = message(&mut dice);
        let opens_before = dice.below(keys.len() + 1);
        let opens_early_by = dice.span(300.0, 1.0);
        let mut desk = Desk::new(None, "");
        let (mut time, mut last_key, mut open) = (10_000, None, false);
        for (index, (key, gap)) in keys.into_iter().enumerate() {
            if index == opens_before {
                desk.rule = Rule::new(last_key);
                // The first letter may come long after the opening, the others not.
                let early = if index == 0 { opens_early_by } else { opens_early_by.min(gap) };
                desk.rule.painted(at(time + gap - early));
                open = true;
            }
            time += gap;
            if open {
                let told = desk.key(key, time);
                taken_back += usize::from(matches!(told, Told::Draft(Some(_))));
            } else {
                desk.draft.extend(key.typed());
            }
            last_key = Some(at(time));
        }
        assert_eq!(desk.answers, [], "message {number}: {text:?}");
        assert_eq!(desk.draft, text, "message {number}");
        assert_eq!(desk.rule.chosen(), None, "message {number}: {text:?}");
    }
    assert!(taken_back > 50, "the test reaches into choices: {taken_back}");
}
