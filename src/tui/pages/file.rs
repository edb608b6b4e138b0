//! Files that are read for a person, and files that a person has written.
#![allow(clippy::disallowed_methods)] // files are opened and saved here for a person

use super::Saved;
use super::desk::Source;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

impl Source for File {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, at)
    }
}

/// Opens an output for reading.
///
/// # Errors
/// There is none, or it cannot be read.
pub(super) fn open(path: Option<&Path>) -> io::Result<File> {
    File::open(path.ok_or(io::ErrorKind::NotFound)?)
}

/// Where something is to be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Saving {
    /// The file.
    pub path: PathBuf,
    /// A person said that a file of that name may go.
    pub overwrite: bool,
}

/// Saves a text.
pub(crate) fn save_text(saving: &Saving, text: &str) -> Saved {
    save(saving, false, |out| out.write_all(text.as_bytes()).map(|()| text.len() as u64))
}

/// Saves what `write` writes into a file that only the person can read. A file
/// that is there is replaced as a whole or not at all.
pub(super) fn save(
    saving: &Saving,
    raw: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<u64>,
) -> Saved {
    let path = saving.path.clone();
    match try_save(saving, write) {
        Ok(bytes) => Saved::Done { bytes, path, raw },
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_file() => Saved::Exists(path),
        Err(_) if path.is_dir() => Saved::Failed(path, "it is a directory".to_owned()),
        Err(error) => Saved::Failed(path, error.to_string()),
    }
}

fn try_save(saving: &Saving, write: impl FnOnce(&mut dyn Write) -> io::Result<u64>) -> io::Result<u64> {
    if !saving.overwrite {
        return fill(&saving.path, write);
    }
    // A link stays; what it names is replaced.
    let path = fs::canonicalize(&saving.path)?;
    if !path.is_file() {
        return Err(io::Error::other("it is no ordinary file"));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".candor-{}", std::process::id()));
    let beside = path.with_file_name(name);
    let bytes = fill(&beside, write)?;
    fs::rename(&beside, &path).inspect_err(|_| _ = fs::remove_file(&beside))?;
    Ok(bytes)
}

/// Makes a new file; nothing of it stays if it cannot be written in full.
fn fill(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<u64>) -> io::Result<u64> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut out = BufWriter::new(file);
    let written = write(&mut out).and_then(|bytes| out.flush().map(|()| bytes));
    written.inspect_err(|_| _ = fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn saving(path: &Path, overwrite: bool) -> Saving {
        Saving { path: path.to_owned(), overwrite }
    }

    #[test]
    fn a_file_that_is_there_is_asked_about() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.txt");
        let done = |bytes| Saved::Done { bytes, path: path.clone(), raw: false };
        assert_eq!(save_text(&saving(&path, false), "one"), done(3));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(save_text(&saving(&path, false), "more"), Saved::Exists(path.clone()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(matches!(save_text(&saving(&link, true), "more"), Saved::Done { bytes: 4, .. }));
        assert_eq!(fs::read_to_string(&path).unwrap(), "more");
        assert!(link.is_symlink());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing else stays");
    }

    #[test]
    fn what_cannot_be_saved_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let full = |_: &mut dyn Write| Err(io::Error::from(io::ErrorKind::StorageFull));
        let path = dir.path().join("out.txt");
        assert!(matches!(save(&saving(&path, false), true, full), Saved::Failed(..)));
        fs::write(&path, "old").unwrap();
        assert!(matches!(save(&saving(&path, true), true, full), Saved::Failed(..)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        for (path, overwrite) in
            [(dir.path(), false), (dir.path(), true), (&dir.path().join("no/dir"), false)]
        {
            assert!(matches!(save_text(&saving(path, overwrite), "x"), Saved::Failed(..)), "{path:?}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
