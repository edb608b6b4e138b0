//! Words for the shell.

/// A command that prints this line. `echo` takes a leading dash for an option.
pub(super) fn print(line: &str) -> String {
    if line.starts_with('-') {
        format!("printf '%s\\n' {}", quote(line))
    } else {
        format!("echo {}", quote(line))
    }
}

/// A word for the shell: as it is if nothing in it is special, else quoted.
pub(super) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_what_was_quoted() {
        let words =
            ["milk", "", "a b", "it's", "$HOME `id` \\ \"x\"", "*?[a]", "~", "#x", "ä\t😀", "-n", "a=b"];
        let script = format!("printf '%s\\0' {}", words.map(quote).join(" "));
        #[allow(clippy::disallowed_methods)] // what a shell makes of it can only a shell tell
        let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
    }
}
