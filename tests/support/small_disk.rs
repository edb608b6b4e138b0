//! A disk that can be full or only to be read.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A small file system of its own, where this process may mount one.
pub(crate) struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    /// `size` as `mount` takes it; none, and it is said, where this may not be.
    pub(crate) fn mount(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let options = format!("size={size},mode=700");
        let mounted = mount(&["-t", "tmpfs", "-o", &options, "tmpfs"], at);
        if !mounted {
            println!("skipped: a small file system cannot be mounted here");
        }
        mounted.then(|| Self { at: at.to_owned() })
    }

    /// Takes all the space that is left.
    pub(crate) fn fill(&self) {
        use std::io::Write as _;
        let mut file = std::fs::File::create(self.at.join("ballast")).unwrap();
        while file.write_all(&[0; 512]).is_ok() {}
    }

    pub(crate) fn free(&self) {
        std::fs::remove_file(self.at.join("ballast")).unwrap();
    }

    /// Lets it hold as many files as anybody wants.
    pub(crate) fn make_roomy(&self) {
        assert!(mount(&["-o", "remount,nr_inodes=10000"], &self.at));
    }

    pub(crate) fn make_read_only(&self) {
        assert!(mount(&["-o", "remount,ro"], &self.at));
    }

    pub(crate) fn make_writable(&self) {
        assert!(mount(&["-o", "remount,rw"], &self.at));
    }
}

fn mount(arguments: &[&str], at: &Path) -> bool {
    let run = Command::new("mount").args(arguments).arg(at).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}
