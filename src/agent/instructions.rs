//! What the model is told about who and where it is.

use super::protocol::Given;
use crate::record::{Digest, Timestamp};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The default instructions; copied to the configuration directory once.
pub const SOUL: &str = include_str!("../../SOUL.md");

/// The most that a directory's `AGENTS.md` may have, in bytes.
const AGENTS_BYTES: u64 = 32 << 10;
/// The most that the instructions file may have, in bytes.
const SOUL_BYTES: u64 = 256 << 10;

/// The instructions of a request, and what to show of them.
#[derive(Debug, Clone)]
pub(super) struct Instructions {
    /// The text.
    pub(super) text: String,
    /// The files it was made of.
    pub(super) given: Vec<Given>,
    /// Why a file was left out, one sentence each.
    pub(super) left_out: Vec<String>,
}

impl Instructions {
    /// SHA-256 of the text.
    #[must_use]
    pub(super) fn sha256(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
}

/// Puts the instructions together: the file in the configuration directory
/// (made from [`SOUL`] if it is missing), the directory's `AGENTS.md`, then
/// date, system, directory and branch, then what must not be forgotten.
pub(super) fn gather(config_dir: &Path, cwd: &Path, now: Timestamp, warnings: &[String]) -> Instructions {
    let mut left_out = Vec::new();
    let mut given = Vec::new();
    let mut add = |name: &str, text: &str| given.push(Given { name: name.into(), bytes: text.len() });
    let soul = soul(config_dir, &mut left_out);
    add("SOUL.md", &soul);
    let mut text = soul;
    match read_regular(&cwd.join("AGENTS.md"), AGENTS_BYTES) {
        Ok(Some(agents)) => {
            add("AGENTS.md", &agents);
            text.push_str("\n\n# AGENTS.md of the session's directory\n\n");
            text.push_str(&agents);
        }
        Ok(None) => {}
        Err(reason) => left_out.push(format!("AGENTS.md was not given to the model: {reason}.")),
    }
    text.push_str("\n\n# Where you are\n\n");
    text.push_str(&surroundings(cwd, now));
    for warning in warnings {
        text.push('\n');
        text.push_str(warning);
        text.push('\n');
    }
    Instructions { text, given, left_out }
}

fn soul(config_dir: &Path, left_out: &mut Vec<String>) -> String {
    let path = config_dir.join("SOUL.md");
    match read_regular(&path, SOUL_BYTES) {
        Ok(Some(text)) => text,
        Ok(None) => {
            // Failing to lay the copy down changes nothing for this session.
            let mut new = std::fs::OpenOptions::new();
            let file = new.write(true).create_new(true).mode(0o600).open(&path);
            drop(file.and_then(|mut file| std::io::Write::write_all(&mut file, SOUL.as_bytes())));
            SOUL.to_owned()
        }
        Err(reason) => {
            left_out
                .push(format!("{} was not used, the built-in instructions were: {reason}.", path.display()));
            SOUL.to_owned()
        }
    }
}

/// The text of a regular file, not through a link; `None` if there is none.
fn read_regular(path: &Path, most: u64) -> Result<Option<String>, String> {
    let kind = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !kind.is_file() {
        let what = if kind.is_symlink() {
            "a link"
        } else if kind.is_dir() {
            "a directory"
        } else {
            "not a regular file"
        };
        return Err(format!("it is {what}"));
    }
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed();
    let file =
        std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {} KiB", most >> 10));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Some(text)),
        Ok(_) | Err(_) => Err("it is not text in UTF-8".into()),
    }
}

fn surroundings(cwd: &Path, now: Timestamp) -> String {
    let date = now.to_string();
    let date = date.get(..10).unwrap_or_default();
    let mut text = format!("Date: {date}\nSystem: {}\nDirectory: {}\n", system(), cwd.display());
    if let Some(branch) = branch(cwd) {
        text.push_str(&format!("Git branch: {branch}\n"));
    }
    text
}

fn system() -> String {
    let name = rustix::system::uname();
    let part = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    format!("{} {} {}", part(name.sysname()), part(name.release()), part(name.machine()))
}

/// The branch that `HEAD` names in the directory or one above it.
fn branch(cwd: &Path) -> Option<String> {
    let git = cwd.ancestors().map(|dir| dir.join(".git")).find(|git| git.exists())?;
    let dir = if git.is_dir() {
        git
    } else {
        // A worktree's .git is a file that names its directory.
        let text = read_regular(&git, 4096).ok()??;
        cwd.join(text.strip_prefix("gitdir: ")?.trim())
    };
    let head = read_regular(&dir.join("HEAD"), 4096).ok()??;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    (!branch.is_empty() && branch.chars().all(|c| !c.is_control())).then(|| branch.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-29T20:13:05.123Z").unwrap()
    }

    #[test]
    fn the_copy_is_laid_down_once_and_then_obeyed() {
        let (config, cwd) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = gather(config.path(), cwd.path(), now(), &[]);
        assert!(first.text.starts_with(SOUL) && first.text.contains("Date: 2026-11-29\n"));
        std::fs::write(config.path().join("SOUL.md"), "Mine.").unwrap();
        let second = gather(config.path(), cwd.path(), now(), &["A warning.".into()]);
        assert!(second.text.starts_with("Mine.") && second.text.ends_with("A warning.\n"));
        assert_eq!(second.given, [Given { name: "SOUL.md".into(), bytes: 5 }]);
        assert_ne!(first.sha256(), second.sha256());
    }

    #[test]
    fn agents_md_has_to_be_a_small_regular_text() {
        let (config, cwd) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = cwd.path().join("AGENTS.md");
        let left_out = || gather(config.path(), cwd.path(), now(), &[]).left_out.join(" ");
        std::fs::write(&path, "Use tabs.").unwrap();
        assert!(gather(config.path(), cwd.path(), now(), &[]).text.contains("Use tabs."));
        std::fs::write(&path, b"a\xff").unwrap();
        assert!(left_out().contains("not text in UTF-8"));
        std::fs::write(&path, "x".repeat(32 * 1024 + 1)).unwrap();
        assert!(left_out().contains("more than 32 KiB"));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(left_out().contains("a directory"));
        std::fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(left_out().contains("a link"));
    }

    #[test]
    fn the_branch_is_read_without_running_git() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/fix/it\n").unwrap();
        let below = dir.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        assert_eq!(branch(&below).as_deref(), Some("fix/it"));
        std::fs::write(git.join("HEAD"), "0123456789\n").unwrap();
        assert_eq!(branch(&below), None);
    }
}
