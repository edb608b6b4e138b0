//! Writing a message on the real binary in a pseudo-terminal: history, paths,
//! words after `/`, another program on the terminal, tmux.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use rustix::process::Signal;
use support::screen::{DEMO, answer, choose, completed, pause, press, press_enter, start_demo, write};
use support::{Scratch, Terminal, eventually, signal, write_program};

fn leave(terminal: Terminal) {
    pause();
    support::leave(terminal);
}

/// One turn that runs a command, in a session of its own.
fn one_turn(scratch: &Scratch, message: &str) {
    let mut terminal = start_demo(scratch);
    write(&mut terminal, message);
    answer(&mut terminal, "y");
    completed(&mut terminal);
    leave(terminal);
}

#[test]
fn what_was_written_in_an_earlier_session_is_found_again() {
    let scratch = Scratch::new();
    one_turn(&scratch, "Add milk to shopping.txt");
    one_turn(&scratch, "Add tea to list");
    let mut terminal = start_demo(&scratch);
    terminal.send("half a thought");
    terminal.expect_screen("half a thought");
    press(&mut terminal, "\u{12}");
    terminal.expect_screen("Add tea to list");
    terminal.send("milk");
    terminal.expect_screen("search: milk");
    terminal.expect_screen("Add milk to shopping.txt");
    press(&mut terminal, "\u{1b}");
    terminal.expect_screen("> half a thought");
    press(&mut terminal, "\u{12}");
    terminal.expect_screen("search:");
    terminal.send("add");
    terminal.expect_screen("search: add");
    press(&mut terminal, "\u{12}");
    press_enter(&mut terminal);
    terminal.expect_screen("> Add milk to shopping.txt");
    press(&mut terminal, "\u{15}");
    terminal.expect_screen("Enter start");
    // Nothing was sent, and nothing but the two journals holds what was written.
    assert_eq!(scratch.sessions().len(), 2);
    leave(terminal);
}

#[test]
fn a_path_is_completed_from_the_sessions_directory() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.work().join("src/deep")).unwrap();
    std::fs::create_dir_all(scratch.work().join("node_modules/left")).unwrap();
    for name in
        ["src/deep/parser.rs", "notes of today.txt", "node_modules/left/parser.js", "bad\u{1b}[2Jname"]
    {
        std::fs::write(scratch.work().join(name), "").unwrap();
    }
    let mut terminal = start_demo(&scratch);
    terminal.send("look at @pars");
    let screen = terminal.expect_screen("src/deep/parser.rs");
    assert!(!screen.contains("parser.js"), "{screen}");
    press(&mut terminal, "\t");
    terminal.expect_screen("look at src/deep/parser.rs");
    terminal.send(" and @today");
    terminal.expect_screen("'notes of today.txt'");
    press_enter(&mut terminal);
    terminal.expect_screen("parser.rs and 'notes of today.txt'");
    terminal.send(" @bad");
    terminal.expect_screen("$'bad\\x1b[2Jname'");
    press(&mut terminal, "\u{1b}");
    terminal.expect_screen("Enter start");
    assert!(scratch.sessions().is_empty());
    press(&mut terminal, "\u{3}");
    leave(terminal);
}

#[test]
fn words_after_a_slash_are_completed_and_obeyed() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start_with(DEMO, &[("OPENAI_API_KEY", "sk-never-shown")]);
    terminal.expect_screen("Enter start");
    terminal.send("/");
    terminal.expect_screen("Shows this help.");
    terminal.send("en");
    terminal.expect_screen("Shows which variables commands get.");
    press(&mut terminal, "\t");
    terminal.expect_screen("> /env");
    press_enter(&mut terminal);
    terminal.expect_screen("Enter shows their values.");
    press_enter(&mut terminal);
    terminal.expect_screen("TERM=dumb");
    press(&mut terminal, "q");
    terminal.expect_screen("Enter start");
    terminal.send("/mouse");
    terminal.expect_screen("Gives the mouse");
    press_enter(&mut terminal);
    terminal.expect_screen("The mouse is Candor's");
    press(&mut terminal, "\u{1b}");
    // An Esc and a letter at once are Alt and the letter.
    terminal.expect_screen("Enter start");
    write(&mut terminal, "/quit");
    assert_eq!(terminal.wait_exit(), 0);
    let printed = terminal.printed();
    assert!(printed.rfind("\u{1b}[?1000l") > printed.rfind("\u{1b}[?1000h"), "the mouse is given back");
    assert!(printed.contains("\u{1b}[?1000h") && !printed.contains("sk-never-shown"));
}

#[test]
fn a_word_that_means_leaving_asks_first() {
    let scratch = Scratch::new();
    let mut terminal = start_demo(&scratch);
    write(&mut terminal, ":wq");
    terminal.expect_screen("Leave Candor?");
    press(&mut terminal, "\u{1b}");
    terminal.expect_screen("Enter start");
    write(&mut terminal, "quit");
    terminal.expect_screen("Leave Candor?");
    press(&mut terminal, "\t");
    press_enter(&mut terminal);
    assert_eq!(terminal.wait_exit(), 0);
    assert!(scratch.sessions().is_empty(), "it was no message");
}

#[test]
fn a_message_joins_the_running_turn() {
    let scratch = Scratch::new();
    let gate = scratch.gate();
    let mut terminal = start_demo(&scratch);
    write(&mut terminal, "Run: echo be''gun; read l < gate");
    answer(&mut terminal, "y");
    terminal.expect_screen("begun");
    write(&mut terminal, "by the way");
    terminal.expect_screen("queued 1: by the way");
    write(&mut terminal, "/join");
    terminal.expect_screen("Ctrl+C stop");
    std::fs::write(&gate, "go\n").unwrap();
    terminal.expect_screen("  ready");
    leave(terminal);
    let messages = scratch.records("user_message");
    assert_eq!((messages.len(), &messages[1]["text"]), (2, &"by the way".into()));
    assert_eq!(messages[0]["turn"], messages[1]["turn"], "one turn");
    let kinds = scratch.kinds();
    let last = |kind: &str| kinds.iter().rposition(|other| other == kind).unwrap();
    assert!(last("tool_result") < last("user_message"), "after the command's result: {kinds:?}");
    assert!(last("user_message") < last("model_response"), "before the next request: {kinds:?}");
}

/// The dialog for this command is answered by a letter and Enter, like a person
/// who reads what is asked before the answer.
fn answer_for(terminal: &mut Terminal, command: &str, letter: &str) {
    let asked = terminal.expect_screen(" Ready");
    assert!(asked.contains(&format!("│   {command} ")), "{asked}");
    choose(terminal, letter);
}

#[test]
fn forty_approvals_in_a_row_and_one_rule_for_one_exact_operation() {
    let scratch = Scratch::new();
    let mut terminal = start_demo(&scratch);
    // What differs by a space only is not the operation of the rule.
    let asked: Vec<String> = (1..=40)
        .map(
            |number| {
                if number == 20 { "echo tick  >> ticks".into() } else { format!("echo {number} >> log") }
            },
        )
        .collect();
    for part in 0..4 {
        let lines: Vec<String> = asked[part * 10..part * 10 + 10]
            .iter()
            .map(|command| format!("Run: echo tick >> ticks\nRun: {command}"))
            .collect();
        terminal.send(&format!("\u{1b}[200~part {part}\n{}\u{1b}[201~", lines.join("\n")));
        terminal.expect_screen("21 lines");
        press_enter(&mut terminal);
        if part == 0 {
            answer_for(&mut terminal, "echo tick >> ticks", "a");
        }
        for command in &asked[part * 10..part * 10 + 10] {
            terminal.expect_screen(&format!("│   {command} "));
            answer_for(&mut terminal, command, "y");
        }
        terminal.expect_screen("  ready");
    }
    leave(terminal);
    let approvals = scratch.records("approval");
    let by = |who: &str| approvals.iter().filter(|approval| approval["by"] == who).collect::<Vec<_>>();
    // Forty in a row, and the one that made the rule.
    assert_eq!((by("user").len(), by("rule").len()), (41, 39));
    let standing: Vec<_> = by("user").into_iter().filter(|approval| approval["standing"] == true).collect();
    assert_eq!(standing.len(), 1);
    for approval in by("rule") {
        assert_eq!(approval["fingerprint"], standing[0]["fingerprint"]);
        assert_eq!(approval["operation"]["command"], "echo tick >> ticks");
    }
    assert_eq!(scratch.read("ticks").lines().count(), 41);
    assert_eq!(scratch.read("log").lines().count(), 39);
    assert!(scratch.records("tool_result").iter().all(|result| result["outcome"] == "completed"));
}

/// An editor that is this script.
fn editor(scratch: &Scratch, script: &str) -> String {
    let path = scratch.work().join("an editor");
    write_program(&path, script);
    format!("'{}' --two words", path.display())
}

#[test]
fn the_editor_may_have_arguments_fail_or_leave_no_text() {
    let scratch = Scratch::new();
    let script = r#"case "$(cat "$3")" in
        plain) echo "$1 $2" > "$3";;
        fails) echo lost > "$3"; exit 3;;
        bytes) printf 'a\377b' > "$3";;
    esac"#;
    let editor = editor(&scratch, script);
    let mut terminal = scratch.start_with(DEMO, &[("VISUAL", &editor), ("EDITOR", "/not/this")]);
    terminal.expect_screen("Enter start");
    terminal.send("plain");
    terminal.expect_screen("> plain");
    press(&mut terminal, "\u{7}");
    terminal.expect_screen("> --two words");
    press(&mut terminal, "\u{15}");
    terminal.send("fails");
    terminal.expect_screen("> fails");
    press(&mut terminal, "\u{7}");
    // One word: where the sentence breaks depends on the path.
    terminal.expect_screen("status:");
    terminal.expect_screen("> fails");
    press(&mut terminal, "\u{15}");
    terminal.send("bytes");
    terminal.expect_screen("> bytes");
    press(&mut terminal, "\u{7}");
    let screen = terminal.expect_screen("It is kept in");
    assert!(screen.contains("> bytes"), "{screen}");
    let flat = screen.replace(['\n', ' '], "");
    let kept = flat.split("keptin").nth(1).unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(std::fs::read(&kept).unwrap(), b"a\xffb");
    std::fs::remove_file(kept).unwrap();
    press(&mut terminal, "\u{15}");
    leave(terminal);
}

#[test]
fn the_shell_is_the_persons_and_says_so() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start_with(DEMO, &[("SHELL", "/bin/sh")]);
    terminal.expect_screen("Enter start");
    terminal.send("/shell");
    terminal.expect_screen("Opens your $SHELL");
    press_enter(&mut terminal);
    terminal.expect("Your shell: what you do here is yours");
    terminal.send("pwd > here; exit 4\r");
    terminal.expect_screen("Enter start");
    assert_eq!(scratch.read("here").trim(), scratch.work().canonicalize().unwrap().to_str().unwrap());
    assert!(scratch.sessions().is_empty());
    leave(terminal);
}

#[test]
fn a_suspended_candor_comes_back_and_still_follows_the_command() {
    let scratch = Scratch::new();
    let gate = scratch.gate();
    let mut terminal = scratch.start_program("/bin/bash", &["--norc", "--noprofile", "-i"]);
    terminal.send(&format!("PS1='at the prompt: '; '{}' --demo\r", support::program()));
    terminal.expect_screen("Enter start");
    write(&mut terminal, "Run: echo be''gun; read l < gate; echo o''ver");
    answer(&mut terminal, "y");
    terminal.expect_screen("begun");
    press(&mut terminal, "\u{1a}");
    terminal.expect("Stopped");
    terminal.expect("at the prompt: ");
    let printed = terminal.printed();
    assert!(printed.rfind("\u{1b}[?1049l") > printed.rfind("\u{1b}[?1049h"), "the terminal is given back");
    // While Candor is stopped its command goes on.
    std::fs::write(&gate, "go\n").unwrap();
    eventually("the command ends", || {
        let calls = scratch.sessions()[0].join("calls");
        let mut folders = std::fs::read_dir(calls).unwrap();
        folders.any(|folder| folder.unwrap().path().join("receipt.json").exists())
    });
    terminal.send("fg\r");
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("over");
    terminal.expect_screen("  ready");
    press(&mut terminal, "\u{4}");
    terminal.expect("at the prompt: ");
    terminal.send("exit\r");
    assert_eq!(terminal.wait_exit(), 0);
    assert_eq!(scratch.records("tool_result")[0]["outcome"], "completed");
}

#[test]
fn stopped_and_continued_by_signals_it_draws_again() {
    let scratch = Scratch::new();
    let mut terminal = start_demo(&scratch);
    signal(terminal.pid(), Signal::STOP);
    terminal.send("typed while stopped");
    signal(terminal.pid(), Signal::CONT);
    terminal.expect_screen("typed while stopped");
    press(&mut terminal, "\u{15}");
    leave(terminal);
}

#[test]
fn the_window_title_follows_what_happens_and_is_given_back() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("\u{1b}[22;0t");
    terminal.expect_screen("Enter start");
    write(&mut terminal, "Run: true");
    answer(&mut terminal, "y");
    completed(&mut terminal);
    leave(terminal_titles(terminal, "Candor: Run: true - waiting for you"));
    let mut dumb = scratch.start_with(DEMO, &[("TERM", "linux")]);
    dumb.expect_screen("Enter start");
    press(&mut dumb, "\u{4}");
    dumb.wait_exit();
    assert!(!dumb.printed().contains("\u{1b}]2;") && !dumb.printed().contains("\u{1b}[22;0t"));
}

#[test]
fn a_person_who_is_away_hears_the_bell_once_and_gets_fixed_words() {
    let scratch = Scratch::new();
    let notification = "\u{1b}]9;Candor waits for you\u{7}";
    let mut terminal = start_demo(&scratch);
    write(&mut terminal, "Run: touch made");
    terminal.expect_screen(" Ready");
    assert!(!terminal.printed().contains(notification), "a key was pressed just now");
    terminal.expect(&format!("\u{7}{notification}"));
    pause();
    choose(&mut terminal, "n");
    terminal.expect_screen("  ready");
    assert_eq!(terminal.printed().matches(notification).count(), 1);
    leave(terminal);
}

/// Its titles so far have this one, and none twice in a row.
fn terminal_titles(terminal: Terminal, wanted: &str) -> Terminal {
    let printed = terminal.printed();
    let titles: Vec<&str> =
        printed.split("\u{1b}]2;").skip(1).map(|rest| rest.split('\u{7}').next().unwrap()).collect();
    assert!(titles.contains(&wanted), "{titles:?}");
    assert!(titles.windows(2).all(|pair| pair[0] != pair[1]), "{titles:?}");
    terminal
}

/// tmux with its default settings, on a server of its own.
struct Tmux {
    name: String,
}

impl Tmux {
    fn run(&self, arguments: &[&str]) -> std::process::Output {
        std::process::Command::new("tmux")
            .args(["-L", &self.name, "-f", "/dev/null"])
            .args(arguments)
            .output()
            .unwrap()
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.run(&["capture-pane", "-p"]).stdout).into_owned()
    }

    fn expect(&self, text: &str) -> String {
        let mut screen = String::new();
        eventually(text, || {
            screen = self.screen();
            screen.contains(text)
        });
        screen
    }

    fn keys(&self, keys: &[&str]) {
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert!(self.run(&[&["send-keys"], keys].concat()).status.success());
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn it_works_in_tmux_with_its_default_settings() {
    if let Err(error) = std::process::Command::new("tmux").arg("-V").output() {
        println!("skipped: no tmux to run in ({error})");
        return;
    }
    let scratch = Scratch::new();
    let tmux = Tmux { name: format!("candor-test-{}", std::process::id()) };
    let command = format!(
        "cd '{}' && CANDOR_HOME='{}' LANG=C.UTF-8 '{}' --demo; echo left with $?; sleep 600",
        scratch.work().display(),
        scratch.home().display(),
        support::program()
    );
    let made = tmux.run(&["new-session", "-d", "-x", "80", "-y", "24", &command]);
    assert!(made.status.success(), "{made:?}");
    tmux.expect("Enter start");
    eventually("tmux knows the title", || {
        let title = tmux.run(&["display-message", "-p", "#{pane_title}"]);
        String::from_utf8_lossy(&title.stdout).starts_with("Candor: ")
    });
    tmux.keys(&["-l", "Run: touch made"]);
    tmux.keys(&["M-Enter"]);
    tmux.keys(&["-l", "Run: touch more"]);
    let screen = tmux.expect("Run: touch more");
    assert!(screen.contains("Run: touch made\n"), "Alt+Enter began a line: {screen}");
    tmux.keys(&["Enter"]);
    for _ in 0..2 {
        tmux.expect(" Ready");
        tmux.keys(&["y"]);
        tmux.expect("Enter does it");
        tmux.keys(&["Enter"]);
    }
    tmux.expect("  ready");
    assert!(scratch.work().join("made").exists() && scratch.work().join("more").exists());
    // Esc is held back by tmux, and stops the answer all the same.
    tmux.keys(&["-l", "Stream 100000 words"]);
    tmux.keys(&["Enter"]);
    tmux.expect("answering");
    tmux.keys(&["Escape"]);
    tmux.expect("  ready");
    tmux.keys(&["C-u"]);
    tmux.keys(&["C-d"]);
    tmux.expect("left with 0");
    let last = scratch.records("turn_ended").pop().unwrap();
    assert_eq!(last["status"], "cancelled");
}
