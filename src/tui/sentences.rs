//! The one table of sentences that the screen itself says. Each says what
//! happened, to what, and what to do.

use crate::agent::Holder;
use crate::record::Timestamp;
use crate::record::limits::MESSAGE_BYTES;
use crate::text::human_bytes;
use crate::tui::copying::{Copied, Failure};
use crate::tui::pages::CLIPBOARD_BYTES;
use crate::tui::words::{self, Words};
use std::path::Path;

/// The smallest screen that is usable, in columns and rows.
pub(crate) const SMALLEST: (u16, u16) = (40, 12);

/// A sentence that is to be read to its end, and how it is said where there is
/// little room: in 36 cells.
pub(crate) type Said = (&'static str, &'static str);

/// In the first dialog of a session.
pub(crate) const NO_SANDBOX: &str = "Runs with your account's permissions. This is not a sandbox.";
/// While an approval waits for a pause.
pub(crate) const PAUSE: Said =
    ("Your typing goes to the draft. Pause for a moment to answer.", "Typed to the draft. Pause to answer.");
/// The same after a key that only moved in the command.
pub(crate) const PAUSE_MOVED: Said =
    ("Pause for a moment to answer; what you type goes to the draft.", "Pause for a moment to answer.");
/// When it can be answered.
pub(crate) const READY: Said = (
    "Ready: a letter or Tab, then Enter. Esc denies it and stops the turn.",
    "Ready: letter/Tab, Enter. Esc stops.",
);
/// When it can be answered, but not by running.
pub(crate) const READY_UNSEEN: Said = (
    "Ready. Down shows the rest first. Esc denies it and stops the turn.",
    "Ready. Down shows the rest first.",
);
/// When the draft is a sentence that goes on.
pub(crate) const GOES_ON: Said =
    ("Your sentence goes on. Tab chooses.", "Your sentence goes on. Tab chooses.");
/// When something is chosen.
pub(crate) const CHOSEN: Said =
    ("Enter does it. Any other letter goes to the draft.", "Enter does it; a letter takes back.");
/// When the environment is chosen.
pub(crate) const VALUES: Said = ("Enter shows the values.", "Enter shows the values.");
/// When the limit is chosen.
pub(crate) const LIMIT: Said = ("Up and Down change the limit.", "Up and Down change the limit.");
/// Below what was read of an answer that broke off.
pub(crate) const CUT_OFF: &str = " (cut off here; not part of the record)";
/// A second Ctrl+C leaves.
pub(crate) const AGAIN_LEAVES: &str = "Ctrl+C again leaves.";
/// A message that is only such a word asks.
pub(crate) const LEAVE_WORDS: [&str; 4] = ["exit", "quit", ":q", ":wq"];
/// A suspended process could not be brought back.
pub(crate) const NO_SHELL: &str = "Candor cannot be suspended here: no shell could bring it back.";
/// There is nothing to join.
pub(crate) const NOTHING_TO_JOIN: &str = "No turn is running that a message could join. Enter sends it.";
/// `/join` without a message.
pub(crate) const NOTHING_QUEUED: &str = "No message is queued. Write it after /join.";
/// `/rename` without a title.
pub(crate) const TITLE_WANTED: &str = "Write the new title after /rename.";
/// `/fork` with something else than a number.
pub(crate) const FORK_NUMBER: &str = "Write after /fork how many of the last turns are left out, or nothing.";
/// `/output` without an output.
pub(crate) const NO_OUTPUT: &str = "No command has run in this conversation.";
/// `/mouse` took it.
pub(crate) const MOUSE_OURS: &str =
    "The mouse is Candor's: the wheel scrolls, a click chooses. Shift selects text.";
/// `/mouse` gave it back.
pub(crate) const MOUSE_YOURS: &str = "The mouse is the terminal's again.";
/// On the terminal, above the person's shell.
pub(crate) const SHELL: &str =
    "Your shell: what you do here is yours, and Candor records nothing of it.\nexit leads back.";
/// The chosen panel has no output.
pub(crate) const NOT_RUN: &str = "This call was not run, so it has no output.";
/// `/copy` without an answer.
pub(crate) const NO_ANSWER: &str = "The model has not answered in this conversation yet.";
/// `n` before anything was searched.
pub(crate) const NOTHING_SEARCHED: &str = "Nothing was searched yet. / searches down from here, ? up.";
/// Sideways while lines are wrapped.
pub(crate) const WRAPPED: &str = "Lines are wrapped. w shows each in one row, which h and l move.";
/// There was nothing to copy.
pub(crate) const NOTHING_TO_COPY: &str = "There is nothing here to copy.";
/// A file is not to be replaced.
pub(crate) const NOTHING_SAVED: &str = "Nothing was saved.";
/// `/rules` has none.
pub(crate) const NO_RULES: &str = "Nothing runs without asking.";
/// A statement is missing.
pub(crate) const MISSING_ANSWERS: &str = "still needs an answer (1 to 4). Nothing was saved.";
/// Ctrl+X there while not all that is known has been on the screen.
pub(crate) const REST_FIRST: &str = "Not saved yet: read this first.";
/// Enter in the dialog about unknown outcomes.
pub(crate) const ENTER_SAVES_NOTHING: &str = "Enter saves nothing here. Ctrl+X saves.";
/// A session in the trash can only be brought back.
pub(crate) const IN_THE_TRASH: &str = "It is in the trash. Enter brings it back.";
/// The preview is not there yet.
pub(crate) const STILL_READING: &str = "The session is still being read. Try again when it is shown.";
/// Nothing to fork.
pub(crate) const NO_ENDED_TURN: &str = "No turn of it has ended, so there is nothing to go on from.";
/// A session with an unknown outcome is moved only by name.
pub(crate) const UNKNOWN_TO_TRASH: &str =
    "An outcome in it is unknown. Type the first word of its title to move it.";
/// After a session was moved.
pub(crate) const MOVED_TO_TRASH: &str =
    "It is in the trash. Tab shows the trash, and Enter there brings it back.";
/// After a session was brought back.
pub(crate) const MOVED_BACK: &str = "It is back among the sessions.";
/// Nobody has the watched session open any more.
pub(crate) const FREE: &str = "The session is no longer open elsewhere. Enter opens it here for writing.";
/// The same, while a command of it runs on.
pub(crate) const FREE_RUNNING: &str =
    "The session is no longer open elsewhere; its command runs on. Enter opens it here for writing.";
/// In the recovery dialog, what happened.
pub(crate) const MAY_HAVE_RUN: &str = "Candor stopped before the end of this command was recorded. It may have run \
                                       completely, in part, or not at all. Nothing was run again.";
/// One unknown effect of another program's file.
pub(crate) const IMPORTED_UNKNOWN: &str = "The imported file does not say how this command ended. It may have run completely, \
                                           in part, or not at all.";
/// Several of them.
pub(crate) const IMPORTED_TOGETHER: &str = "The imported file does not say how these commands ended. Each may have run \
                                            completely, in part, or not at all. One answer is for all of them.";
/// "Run it again" was asked for.
pub(crate) const IN_COMPOSER: &str = "The sentence that asks for it is in the composer. Nothing was run.";
/// A command runs whose supervisor is gone.
pub(crate) const NO_SUPERVISOR: &str =
    "Its supervisor is gone, so its end cannot be recorded: whatever you do, it will be unknown.";

/// A session in the list that is open elsewhere.
pub(crate) fn open_elsewhere(holder: Option<&Holder>, words: &Words, now: Timestamp) -> String {
    format!("{} Enter watches it here, read-only.", open_in(holder, words, now))
}

/// A session that is open elsewhere and watched here.
pub(crate) fn watching(holder: Option<&Holder>, words: &Words, now: Timestamp) -> String {
    let who = open_in(holder, words, now);
    format!("{who} It is watched here, read-only: nothing can be sent or decided in this window.")
}

/// Something was to be sent or decided in a session that is watched here.
pub(crate) fn leave_it_there(holder: Option<&Holder>, words: &Words, now: Timestamp) -> String {
    format!("{} Leave it there to write here.", open_in(holder, words, now))
}

fn open_in(holder: Option<&Holder>, words: &Words, now: Timestamp) -> String {
    let Some(Holder { pid, host, terminal, since }) = holder else { return "Open elsewhere.".to_owned() };
    let terminal = terminal.as_ref().map(|name| format!("terminal {name}, ")).unwrap_or_default();
    format!("Open in {terminal}process {pid} on {host}, since {}.", words.since(*since, now))
}

/// The terminal is too small.
pub(crate) fn too_small(columns: u16, rows: u16) -> String {
    let (wide, high) = SMALLEST;
    format!("Candor needs {wide} x {high}; this terminal has {columns} x {rows}.")
}

/// The message is too long.
pub(crate) fn too_long(bytes: usize) -> String {
    let (has, fits) = (bytes.div_ceil(1 << 10), MESSAGE_BYTES >> 10);
    format!("The message has {has} KiB, at most {fits} KiB fit. Save it to a file and name the file.")
}

/// Characters of a paste that cannot be sent.
pub(crate) fn left_out(nuls: usize) -> String {
    format!("{} left out of the paste: a message cannot hold NUL.", words::count(nuls, "character"))
}

/// Esc or Ctrl+C while a command runs.
pub(crate) fn runs_on(command: &str) -> String {
    format!("{command} runs on. Ctrl+C stops it.")
}

/// The same command has an unknown outcome.
pub(crate) fn repeats(clock: &str) -> String {
    format!("This command was started at {clock} and its outcome is unknown. Running it now may do it twice.")
}

/// A turn reached its limit.
pub(crate) fn limit(requests: u64, calls: u64) -> String {
    format!("This turn has made {requests} requests and run {calls} calls. Go on for as many again?")
}

/// A program could not be started.
pub(crate) fn no_program(program: &str, error: &str) -> String {
    format!("{program} could not be started: {error}.")
}

/// A text cannot be edited elsewhere.
pub(crate) fn no_editor(error: &str) -> String {
    format!("The text could not be edited: {error}. It is as it was.")
}

/// An editor said that its text is not to be taken.
pub(crate) fn editor_failed(editor: &str, end: &str) -> String {
    format!("{editor} ended with {end}. The text is as it was.")
}

/// What an editor left cannot be taken.
pub(crate) fn not_taken(error: &str, path: &Path) -> String {
    format!(
        "What was edited cannot be taken: {error}. It is kept in {}; the text is as it was.",
        path.display()
    )
}

/// A copy for another program cannot be made.
pub(crate) fn no_copy(error: &str) -> String {
    format!(
        "The pager was not opened: a copy of the text could not be made for it ({error}). s saves to a file."
    )
}

/// An output cannot be opened.
pub(crate) fn no_file(error: &str) -> String {
    format!("The output cannot be opened: {error}. What the record keeps of it is shown.")
}

/// What the model is given besides the conversation.
pub(crate) fn given(names: &[String]) -> String {
    format!("The model is given {}.", names.join(", "))
}

/// "Run it again" puts this into the composer and runs nothing.
pub(crate) fn run_again(command: &str) -> String {
    format!("Please run this again: {command}")
}

/// What another model means for a conversation that has begun.
pub(crate) const ANOTHER_MODEL: &str =
    "Another model is told the whole conversation, but not the reasoning of the one before.";

/// How the place of a key is named.
pub(crate) const KEY_PLACE: &str = "The key itself is never written down. Name the variable that holds it, \
    or write command and a program that prints it. A server that needs no key ignores it.";

/// A search has found nothing.
pub(crate) fn not_found(typed: &str, above: bool) -> String {
    let (where_, key) = if above { ("above", "/ searches down") } else { ("below", "? searches up") };
    format!("\"{typed}\" is not found {where_}. {key}.")
}

/// What became of a text for the clipboard.
pub(crate) fn copied(copied: &Copied, lines: usize) -> String {
    let what = words::count(lines, "line");
    match copied {
        Copied::By(name) => format!("sent {what} to the clipboard (by {name})"),
        Copied::InTmux => format!("sent {what} to tmux, whose set-clipboard is off: its paste key has them"),
        Copied::Terminal => {
            format!("sent {what} to the terminal (OSC 52), which may not take them for its clipboard")
        }
        Copied::Nowhere(tried) if tried.is_empty() => {
            "Nothing was copied: no clipboard can be reached from here.".to_owned()
        }
        Copied::Nowhere(tried) => {
            let tried: Vec<String> =
                tried.iter().map(|(name, failure)| format!("{name} {}", failed(failure))).collect();
            format!("Nothing was copied: {}.", tried.join(", "))
        }
    }
}

fn failed(failure: &Failure) -> String {
    match failure {
        Failure::Missing => "is not installed".to_owned(),
        Failure::Error(error) => format!("failed ({error})"),
        Failure::Ended(Some(code)) => format!("failed (exit {code})"),
        Failure::Ended(None) => "was killed".to_owned(),
        Failure::Hangs => "did not answer".to_owned(),
    }
}

/// A text is too large for a clipboard.
pub(crate) fn too_long_to_copy(can_be_saved: bool) -> String {
    let most = CLIPBOARD_BYTES >> 10;
    let instead = if can_be_saved { " s saves to a file." } else { "" };
    format!("Nothing was copied: it is more than {most} KiB, which a clipboard may not take.{instead}")
}

/// What became of saving; a file of that name is asked about instead.
pub(crate) fn saved(bytes: u64, place: &str, raw: bool) -> String {
    let how = if raw { "as the command wrote it" } else { "as it is shown" };
    format!("saved {} to {place}, {how}", human_bytes(bytes))
}

/// Something could not be saved.
pub(crate) fn not_saved(place: &str, error: &str) -> String {
    format!("Nothing was saved to {place}: {error}.")
}

/// May this file go?
pub(crate) fn overwrite(place: &str) -> String {
    format!("y replaces it, any other key keeps it: {place} exists.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_approval_says_is_whole_on_the_smallest_screen() {
        let cells = |text| crate::text::width(&crate::text::Clean::from_static(text));
        let room = usize::from(SMALLEST.0) - 4;
        let all = [PAUSE, PAUSE_MOVED, READY, READY_UNSEEN, GOES_ON, CHOSEN, VALUES, LIMIT];
        for (long, short) in all {
            assert!(cells(short) <= room, "{short}");
            assert!(cells(long) <= 80 - 4, "{long}");
        }
    }

    #[test]
    fn a_copy_says_where_it_went_and_why_not_elsewhere() {
        let tried = [
            ("wl-copy", Failure::Missing),
            ("xclip", Failure::Error("broken pipe".into())),
            ("xsel", Failure::Ended(Some(1))),
            ("pbcopy", Failure::Ended(None)),
            ("tmux", Failure::Hangs),
        ];
        let tried = tried.into_iter().collect();
        for (result, words) in [
            (Copied::By("wl-copy"), "sent 2 lines to the clipboard (by wl-copy)"),
            (Copied::InTmux, "sent 2 lines to tmux, whose set-clipboard is off: its paste key has them"),
            (
                Copied::Terminal,
                "sent 2 lines to the terminal (OSC 52), which may not take them for its clipboard",
            ),
            (Copied::Nowhere(Vec::new()), "Nothing was copied: no clipboard can be reached from here."),
            (
                Copied::Nowhere(tried),
                "Nothing was copied: wl-copy is not installed, xclip failed (broken pipe), xsel failed (exit 1), \
                 pbcopy was killed, tmux did not answer.",
            ),
        ] {
            assert_eq!(copied(&result, 2), words);
        }
        assert!(too_long_to_copy(true).ends_with(" s saves to a file."));
        assert!(!too_long_to_copy(false).contains("saves"));
    }

    #[test]
    fn saving_says_what_lies_where() {
        assert_eq!(saved(2048, "~/x", true), "saved 2 KiB to ~/x, as the command wrote it");
        assert_eq!(saved(1, "~/x", false), "saved 1 byte to ~/x, as it is shown");
        assert_eq!(not_saved("~/x", "full"), "Nothing was saved to ~/x: full.");
    }
}
