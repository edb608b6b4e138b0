//! The real file system.

use super::{Files, Hold, How, Identity, OpenFile, State};
use fs4::TryLockError;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::retry_on_intr;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt as _, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

struct DiskFile(File);

/// What something is that is no regular file, for the refusal.
fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice => "a character device",
        FileType::BlockDevice => "a block device",
        FileType::Unknown => "of an unknown kind",
    }
}

fn require_regular(stat: &Stat) -> io::Result<()> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        kind => {
            let text = format!("it is {}, not a regular file", kind_name(kind));
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless)] // the fields' types differ between systems
fn state_of(stat: &Stat) -> State {
    State {
        identity: Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
        len: u64::try_from(stat.st_size).unwrap_or(0),
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
    }
}

/// `O_NOATIME` is refused for files of other users; then it is left out.
fn open_quietly(options: &mut OpenOptions, path: &Path, flags: OFlags) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    match options.custom_flags(bits(flags | OFlags::NOATIME)).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        other => return other,
    }
    options.custom_flags(bits(flags)).open(path)
}

/// Std's own would try an interrupted sync again, and after a sync that did not
/// work another one can report success although bytes are lost.
#[cfg(target_os = "linux")]
fn sync_data(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fdatasync(file)?)
}

#[cfg(target_os = "linux")]
fn sync_all(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fsync(file)?)
}

/// Elsewhere std's own reach the disk itself, which the plain call need not.
#[cfg(not(target_os = "linux"))]
fn sync_data(file: &File) -> io::Result<()> {
    file.sync_data()
}

#[cfg(not(target_os = "linux"))]
fn sync_all(file: &File) -> io::Result<()> {
    file.sync_all()
}

fn bits(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

impl Files for Disk {
    fn open(&self, path: &Path, how: How) -> io::Result<Box<dyn OpenFile>> {
        // Looked at before it is opened, since opening a device can do something.
        match rustix::fs::lstat(path) {
            Ok(stat) => require_regular(&stat)?,
            Err(error) if error == rustix::io::Errno::NOENT => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.read(true).mode(0o600).custom_flags(bits(flags));
        let file = match how {
            How::Read => open_quietly(&mut options, path, flags),
            How::Append => options.append(true).open(path),
            How::New => options.append(true).create_new(true).open(path),
            How::Lock => options.append(true).create(true).open(path),
        }?;
        require_regular(&rustix::fs::fstat(&file)?)?;
        Ok(Box::new(DiskFile(file)))
    }

    fn state(&self, path: &Path) -> io::Result<Option<State>> {
        match rustix::fs::lstat(path) {
            Ok(stat) => Ok(Some(state_of(&stat))),
            Err(error) if error == rustix::io::Errno::NOENT => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        let quiet = retry_on_intr(|| rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty()));
        #[cfg(not(target_os = "linux"))]
        let quiet = Err(rustix::io::Errno::PERM);
        let opened = match quiet {
            Err(rustix::io::Errno::PERM) => retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty())),
            other => other,
        }?;
        let mut names = Vec::new();
        for entry in Dir::new(opened)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        sync_all(&File::open(path)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // The file system has no such rename: the second name does the same.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                self.link(from, to)?;
                fs::remove_file(from)
            }
            other => Ok(other?),
        }
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty())?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn remove_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

impl OpenFile for DiskFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        sync_data(&self.0)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn state(&self) -> io::Result<State> {
        Ok(state_of(&rustix::fs::fstat(&self.0)?))
    }

    fn try_lock(&self, hold: Hold) -> io::Result<()> {
        // Std has methods of the same names, which would win silently.
        let taken = match hold {
            Hold::Exclusive => fs4::FileExt::try_lock(&self.0),
            Hold::Shared => fs4::FileExt::try_lock_shared(&self.0),
        };
        taken.map_err(|error| match error {
            TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
            TryLockError::Error(error) => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn what_is_no_regular_file_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("plain"), b"x").unwrap();
        symlink(at("plain"), at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        rustix::fs::mkfifoat(CWD, at("fifo"), Mode::from_raw_mode(0o600)).unwrap();
        for (name, kind) in [("link", "a symbolic link"), ("folder", "a directory"), ("fifo", "a FIFO")] {
            for how in [How::Read, How::Append, How::Lock] {
                let error = Disk.open(&at(name), how).err().unwrap().to_string();
                assert_eq!(error, format!("it is {kind}, not a regular file"));
            }
        }
        let error = Disk.open(Path::new("/dev/null"), How::Read).err().unwrap();
        assert!(error.to_string().contains("a character device"));
        assert!(Disk.open(&at("plain"), How::Read).is_ok());
    }

    #[test]
    fn files_and_directories_are_for_their_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        Disk.create_dir(&dir.path().join("d")).unwrap();
        Disk.open(&dir.path().join("d/f"), How::New).unwrap();
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("d"), mode("d/f")), (0o700, 0o600));
    }

    #[test]
    fn a_rename_without_replacing_keeps_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        super::super::put(&Disk, &a, b"a").unwrap();
        super::super::put_new(&Disk, &b, b"b").unwrap();
        let error = super::super::put_new(&Disk, &b, b"c").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&b).unwrap(), b"b");
        let mut names = Disk.list(dir.path()).unwrap();
        names.sort();
        assert_eq!(names, ["a", "b"], "nothing is left beside them");
    }
}
