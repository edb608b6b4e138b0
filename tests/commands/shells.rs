//! What is laid down for other programs: completions for a shell, the manual page.

use crate::scene::{code, stdout};
use crate::support::Scratch;
use std::process::{Command, Stdio};

/// What bash offers for these words, the last of which is being written.
fn offered(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let before = if words.len() > 1 { words[words.len() - 2] } else { "" };
    let script = format!(
        "source <('{}' completions bash) || exit 9\nCOMP_WORDS=({}) COMP_CWORD={}\n_candor candor '{}' '{before}'\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        crate::support::program(),
        quoted.join(" "),
        words.len() - 1,
        words[words.len() - 1],
    );
    let output = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .env("CANDOR_HOME", scratch.home())
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    stdout(&output).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    let scratch = Scratch::new();
    assert_eq!(offered(&scratch, &["candor", "insp"]), ["inspect"]);
    assert_eq!(offered(&scratch, &["candor", "--ses"]), ["--session"]);
    assert_eq!(offered(&scratch, &["candor", "inspect", "--expect"]), ["--expect-head"]);
    assert!(offered(&scratch, &["candor", "completions", ""]).contains(&"fish".to_owned()));
    assert!(!offered(&scratch, &["candor", ""]).contains(&"supervise".to_owned()), "not for people");
}

#[test]
fn each_shell_accepts_its_completions() {
    let scratch = Scratch::new();
    for (shell, check) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let output = scratch.run(&["completions", shell]);
        assert_eq!(code(&output), 0, "{output:?}");
        let file = scratch.work().join(shell);
        std::fs::write(&file, &output.stdout).unwrap();
        match Command::new(shell).args(check).arg(&file).stdin(Stdio::null()).output() {
            Ok(checked) => assert!(checked.status.success(), "{shell}: {checked:?}"),
            Err(error) => println!("skipped: no {shell} to check its completions ({error})"),
        }
    }
}

#[test]
fn man_shows_the_manual_page() {
    let scratch = Scratch::new();
    let output = scratch.run(&["man"]);
    assert_eq!(code(&output), 0, "{output:?}");
    let page = scratch.work().join("candor.1");
    std::fs::write(&page, &output.stdout).unwrap();
    let man = Command::new("man")
        .arg("-l")
        .arg(&page)
        .env("MANPAGER", "cat")
        .env("MANWIDTH", "80")
        .env("LC_ALL", "C.UTF-8")
        .output();
    let shown = match man {
        Ok(shown) if shown.status.success() => stdout(&shown),
        other => {
            println!("skipped: no man to show a page ({other:?})");
            return;
        }
    };
    for words in
        ["CANDOR(1)", "candor inspect", "candor sessions rm", "--expect-head", "EXIT STATUS", "CANDOR_HOME"]
    {
        assert!(shown.contains(words), "{words:?}:\n{shown}");
    }
}
