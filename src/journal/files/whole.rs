//! Small files read and written whole, and directories made to last.

use super::{Files, How, OpenFile};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads a small file whole.
///
/// # Errors
/// `FileTooLarge` if it holds more than `limit` bytes, else what the system says.
pub fn read_small(files: &dyn Files, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = files.open(path, How::Read)?;
    let length = usize::try_from(file.state()?.len).unwrap_or(usize::MAX);
    if length > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; length];
    let read = read_full(file.as_ref(), &mut bytes, 0)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Reads until the buffer is full or the file ends.
///
/// # Errors
/// What the system says.
pub fn read_full(file: &dyn OpenFile, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match read_some(file, &mut buffer[length..], offset + length as u64)? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

/// Reads once from a position; 0 at the end. What a signal interrupted has read
/// nothing and is read again.
///
/// # Errors
/// What the system says.
pub fn read_some(file: &dyn OpenFile, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Appends with one write; gives how many bytes were taken. What a signal
/// interrupted has taken none and is written again.
///
/// # Errors
/// What the system says.
pub fn append_once(file: &mut dyn OpenFile, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match file.append(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Writes all of it with one write; a short one is an error.
///
/// # Errors
/// `WriteZero` after a short write, else what the system says.
pub fn append_all(file: &mut dyn OpenFile, bytes: &[u8]) -> io::Result<()> {
    if append_once(file, bytes)? == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Writes a file beside its place, syncs it and puts it into place, replacing
/// what is there. Only one process may do so at a time. The directory is not
/// synced.
///
/// # Errors
/// What the system says; the place then holds what it held before.
pub fn put(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path, "tmp");
    write_anew(files, &beside, bytes)?;
    files.rename(&beside, path)
}

/// The same, unless there is already something in that place; any number of
/// processes may try, one succeeds.
///
/// # Errors
/// `AlreadyExists` if there is, else what the system says.
pub fn put_new(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    static ATTEMPTS: AtomicU64 = AtomicU64::new(0);
    let attempt = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
    let beside = beside(path, &format!("{}-{attempt}.tmp", std::process::id()));
    write_anew(files, &beside, bytes)?;
    files.rename_new(&beside, path).inspect_err(|_| {
        let _ = files.remove(&beside);
    })
}

/// Removes such a file, and what a [`put`] that was killed left beside its place.
///
/// # Errors
/// What the system says, but for a file that is not there.
pub fn remove_put(files: &dyn Files, path: &Path) -> io::Result<()> {
    for path in [&beside(path, "tmp"), path] {
        match files.remove(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{ending}"))
}

/// Writes and syncs a file in place of one that an earlier process left.
fn write_anew(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    match files.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = files.open(path, How::New)?;
    append_all(file.as_mut(), bytes).and_then(|()| file.sync()).inspect_err(|_| {
        let _ = files.remove(path);
    })
}

/// Makes the names of all directories above a path durable: another process can
/// have made them and been killed before it synced them. Goes up to what is on
/// another file system or may not be read, where nobody like us has made any.
///
/// # Errors
/// What the system says.
pub fn settle_above(files: &dyn Files, path: &Path) -> io::Result<()> {
    // With a dot a link on the way means the directory that it leads to.
    let device = |dir: &Path| Ok(files.state(&dir.join("."))?.map(|state| state.identity.device));
    let own: io::Result<Option<u64>> = device(path);
    let own = own?.ok_or(io::ErrorKind::NotFound)?;
    for dir in path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()) {
        if device(dir)? != Some(own) {
            break;
        }
        match files.sync_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => break,
            other => other?,
        }
    }
    Ok(())
}

/// Makes a directory and what is missing above it; each new name is synced.
///
/// # Errors
/// What the system says.
pub fn ensure_dir(files: &dyn Files, path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let made = match (files.create_dir(path), parent) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            ensure_dir(files, parent)?;
            files.create_dir(path)
        }
        (made, _) => made,
    };
    match (made, parent) {
        (Ok(()), Some(parent)) => files.sync_dir(parent),
        (Err(error), _) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        (made, _) => made,
    }
}
