//! What kind of file system something lies on, and what that means for it.

use super::Finding;
use std::path::Path;

/// Where the bytes of a file system are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// On a disk of this machine.
    Here,
    /// In memory.
    InMemory,
    /// On another machine.
    Elsewhere,
    /// Where a program says.
    ByAProgram,
}

/// By the numbers of `statfs(2)` and the kernel's `magic.h`.
#[allow(clippy::unreadable_literal)] // as they are written there
const KINDS: &[(u32, &str, Kept)] = &[
    (0xEF53, "ext4", Kept::Here),
    (0x58465342, "xfs", Kept::Here),
    (0x9123683E, "btrfs", Kept::Here),
    (0x2FC12FC1, "zfs", Kept::Here),
    (0xCA451A4E, "bcachefs", Kept::Here),
    (0xF2F52010, "f2fs", Kept::Here),
    (0x794C7630, "overlay", Kept::Here),
    (0xF15F, "ecryptfs", Kept::Here),
    (0x4D44, "vfat", Kept::Here),
    (0x2011BAB0, "exfat", Kept::Here),
    (0x7366746E, "ntfs3", Kept::Here),
    (0x01021994, "tmpfs", Kept::InMemory),
    (0x858458F6, "ramfs", Kept::InMemory),
    (0x6969, "nfs", Kept::Elsewhere),
    (0x517B, "smb", Kept::Elsewhere),
    (0xFE534D42, "smb2", Kept::Elsewhere),
    (0xFF534D42, "cifs", Kept::Elsewhere),
    (0x5346414F, "afs", Kept::Elsewhere),
    (0x6B414653, "afs", Kept::Elsewhere),
    (0x73757245, "coda", Kept::Elsewhere),
    (0x564C, "ncp", Kept::Elsewhere),
    (0x01021997, "9p", Kept::Elsewhere),
    (0x00C36400, "ceph", Kept::Elsewhere),
    (0x01161970, "gfs2", Kept::Elsewhere),
    (0x7461636F, "ocfs2", Kept::Elsewhere),
    (0x0BD00BD0, "lustre", Kept::Elsewhere),
    (0x47504653, "gpfs", Kept::Elsewhere),
    (0x19830326, "beegfs", Kept::Elsewhere),
    (0x786F4256, "vboxsf", Kept::Elsewhere),
    (0x65735546, "fuse", Kept::ByAProgram),
];

/// The name of a file system and where its bytes are, by its number.
pub(super) fn kind(magic: u32) -> Option<(&'static str, Kept)> {
    KINDS.iter().find(|kind| kind.0 == magic).map(|(_, name, kept)| (*name, *kept))
}

/// What has to be known about keeping sessions on a file system of this number.
pub(super) fn judged(magic: u32, path: &str) -> Finding {
    let Some((name, kept)) = kind(magic) else {
        return Finding::Fine(format!("{path} is on a file system of kind {magic:#x}"));
    };
    match kept {
        Kept::Here => Finding::Fine(format!("{path} is on {name}")),
        Kept::InMemory => Finding::Note(format!(
            "{path} is on {name}, which is memory: sessions are gone when this machine stops."
        )),
        Kept::Elsewhere => Finding::Note(format!(
            "{path} is on {name}, a network file system: whether a lock keeps other machines out, and a sync \
             reaches the disk, is its server's matter. Set CANDOR_HOME to a local disk, or use one machine only."
        )),
        Kept::ByAProgram => Finding::Note(format!(
            "{path} is on {name}: a program keeps the files, often on another machine, and locks and syncs are \
             its matter. Set CANDOR_HOME to a local disk, or use one machine only."
        )),
    }
}

/// Looks at what lies at a path, or will.
#[cfg(target_os = "linux")]
pub(super) fn look(path: &Path) -> Finding {
    let Some(there) = path.ancestors().find(|path| path.exists()) else {
        return Finding::Problem(format!("{} cannot be reached.", path.display()));
    };
    match rustix::fs::statfs(there) {
        // The numbers have 32 bits; some systems widen them with the sign.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(found) => judged(found.f_type as u32, &path.display().to_string()),
        Err(error) => {
            Finding::Problem(format!("The file system of {} is not known: {error}.", path.display()))
        }
    }
}

/// Elsewhere these numbers mean nothing.
#[cfg(not(target_os = "linux"))]
pub(super) fn look(path: &Path) -> Finding {
    Finding::Fine(format!("{}; of what kind its file system is was not looked at", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_home_is_said_clearly() {
        for (magic, words) in [
            (0x6969, "/home/me is on nfs, a network file system"),
            (0xFF53_4D42, "is on cifs, a network file system"),
            (0xFE53_4D42, "is on smb2, a network file system"),
            (0x0102_1997, "is on 9p, a network file system"),
            (0x6573_5546, "is on fuse: a program keeps the files, often on another machine"),
            (0x0102_1994, "is on tmpfs, which is memory"),
        ] {
            let Finding::Note(said) = judged(magic, "/home/me") else { panic!("{magic:#x} is no note") };
            assert!(said.contains(words), "{words:?} in {said:?}");
        }
    }

    #[test]
    fn a_disk_of_this_machine_is_fine_and_so_is_what_is_not_known() {
        assert_eq!(judged(0xEF53, "/d"), Finding::Fine("/d is on ext4".into()));
        assert_eq!(judged(0x1234, "/d"), Finding::Fine("/d is on a file system of kind 0x1234".into()));
    }

    #[test]
    fn no_number_stands_for_two_file_systems() {
        let mut numbers: Vec<u32> = KINDS.iter().map(|kind| kind.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), KINDS.len());
    }
}
