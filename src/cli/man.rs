//! The manual page, made from the command line's own description: one page with
//! all commands, so that there is one file to lay down.

use super::Args;
use clap::{Arg, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};

/// Prints the page.
///
/// # Errors
/// One sentence, if it cannot be written.
pub fn man() -> Result<(), String> {
    let mut page = Vec::new();
    let mut out = io::stdout().lock();
    let printed = write(&mut page).and_then(|()| out.write_all(&page)).and_then(|()| out.flush());
    printed.map_err(|error| format!("The page cannot be printed: {error}."))
}

fn write(out: &mut dyn Write) -> io::Result<()> {
    let mut program = Args::command();
    program.build();
    let page = Man::new(program.clone()).manual("Candor").title("CANDOR");
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    section("COMMANDS").to_writer(out)?;
    commands(&program, out)?;
    table("EXIT STATUS", EXIT).to_writer(out)?;
    table("ENVIRONMENT", ENVIRONMENT).to_writer(out)?;
    table("FILES", FILES).to_writer(out)
}

/// Each command with its options, and those below it.
fn commands(program: &Command, out: &mut dyn Write) -> io::Result<()> {
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
        let mut roff = Roff::default();
        roff.control("SS", [name.as_str()]);
        roff.to_writer(out)?;
        // What holds for every command stands above.
        let shared = |argument: &Arg| ["config", "help"].contains(&argument.get_id().as_str());
        let own = |argument: Arg| if shared(&argument) { argument.hide(true) } else { argument };
        let command = &command.clone().mut_args(own);
        let page = Man::new(command.clone());
        let mut text = Vec::new();
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        if command.get_arguments().any(|argument| !argument.is_hide_set()) {
            page.render_options_section(&mut text)?;
        }
        out.write_all(without_headings(&String::from_utf8_lossy(&text)).as_bytes())?;
        commands(command, out)?;
    }
    Ok(())
}

/// The sections of a command as paragraphs of its own.
fn without_headings(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(".ie ") && !line.starts_with(".el "));
    lines
        .map(|line| if line.starts_with(".SH ") { ".PP\n".to_owned() } else { format!("{line}\n") })
        .collect()
}

const EXIT: &[(&str, &str)] = &[
    ("0", "Done; of inspect: everything verifies and is accounted for."),
    ("1", "Not done, and a sentence on standard error says why."),
    ("2", "Only of inspect: everything verifies, and something is missing."),
    ("64", "A wrong command line."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("CANDOR_HOME", "An absolute directory for configuration and data, in place of the platform's."),
    (
        "OPENAI_API_KEY",
        "The key, unless the settings name another variable. It is never passed to a command.",
    ),
    ("VISUAL, EDITOR", "What opens a draft, with its arguments; else vi."),
    ("SHELL", "What /shell opens."),
    ("NO_COLOR", "If set, no colours are used."),
    ("LC_ALL, LC_CTYPE, LANG", "If they do not name UTF-8, borders are drawn in ASCII."),
];

const FILES: &[(&str, &str)] = &[
    ("config.toml", "Settings, in the configuration directory (~/.config/candor on Linux)."),
    ("SOUL.md", "What the model is told, in the same directory."),
    ("AGENTS.md", "What it is told in addition, in a session's directory."),
];

fn section(name: &str) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", [name]);
    roff
}

fn table(name: &str, rows: &[(&'static str, &'static str)]) -> Roff {
    let mut roff = section(name);
    for (term, said) in rows {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*said)]);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(command: &Command, found: &mut Vec<String>) {
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            found.extend(below.get_bin_name().map(str::to_owned));
            names(below, found);
        }
    }

    #[test]
    fn the_page_has_every_command_and_option() {
        let mut page = Vec::new();
        write(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let bare = page.replace("\\-", "-");
        let mut program = Args::command();
        program.build();
        let mut all = Vec::new();
        names(&program, &mut all);
        assert!(all.len() >= 10, "{all:?}");
        for name in all {
            assert!(bare.lines().any(|line| line == format!(".SS \"{name}\"")), "{name}:\n{bare}");
        }
        for option in ["--continue", "--session", "--demo", "--plain", "--expect-head", "--dispatch"] {
            assert!(bare.contains(option), "{option}");
        }
        for line in page.lines().filter(|line| line.starts_with('.')) {
            let macro_name = line[1..].split(' ').next().unwrap();
            assert!(
                ["TH", "SH", "SS", "PP", "TP", "IP", "RS", "RE", "br", "ie", "el"].contains(&macro_name),
                "{line}"
            );
        }
    }
}
