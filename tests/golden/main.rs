//! The golden journal: its bytes never change, and a verifier that knows only
//! `docs/journal.md` agrees with them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files
#![allow(clippy::print_stdout)] // it says why it skips
#![allow(unreachable_pub)] // modules of a test are seen by it alone

mod story;

use candor::journal::Building;
use candor::journal::files::Disk;
use candor::record::{KeyId, Record, SessionId, Timestamp};
use ed25519_dalek::SigningKey;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

/// The seed that the golden journal is signed with.
const SEED: [u8; 32] = [7; 32];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal/golden.jsonl")
}

fn public_key() -> String {
    SigningKey::from_bytes(&SEED)
        .verifying_key()
        .as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The golden journal as this version writes it.
fn written_now() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let key = SigningKey::from_bytes(&SEED);
    let key_id = KeyId::of(key.verifying_key().as_bytes());
    let sid = SessionId::parse(story::SESSION).unwrap();
    let mut journal = Building::begin(Arc::new(Disk), &path, sid, key).unwrap();
    let first = Timestamp::parse("2026-11-29T20:13:05.123Z").unwrap().as_millis();
    for (record, seconds) in story::records(key_id).into_iter().zip(0..) {
        let kind = record.kind();
        let at = Timestamp::from_millis(first + 1_500 * seconds);
        journal.commit(record, at).unwrap_or_else(|error| panic!("record {seconds}, {kind}: {error}"));
    }
    journal.finish(&path).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn the_golden_journal_is_written_again_byte_for_byte() {
    let (golden, now) = (std::fs::read(golden()).unwrap(), written_now());
    let lines = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec()).unwrap().lines().map(String::from).collect::<Vec<_>>()
    };
    for (number, (golden, now)) in lines(&golden).iter().zip(lines(&now)).enumerate() {
        assert_eq!(*golden, now, "line {}", number + 1);
    }
    assert!(golden == now, "one is longer");
}

#[test]
fn it_holds_every_record_type() {
    let key_id = KeyId::of(SigningKey::from_bytes(&SEED).verifying_key().as_bytes());
    let kinds: BTreeSet<_> = story::records(key_id).iter().map(Record::kind).collect();
    assert_eq!(kinds, Record::KINDS.iter().copied().collect());
}

#[test]
#[ignore = "writes the golden journal, which never changes; for the first version alone"]
fn write_the_golden_journal() {
    assert!(!golden().exists(), "it is there and never changes");
    std::fs::write(golden(), written_now()).unwrap();
}

/// Runs the independent verifier; `None` where there is no Python.
fn verify(path: &Path, key: &str, with: &str) -> Option<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/verify.py");
    match Command::new("python3").arg(script).arg(path).arg(key).env("VERIFY_WITH", with).output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: python3 does not start ({error})");
            None
        }
    }
}

fn has_openssl() -> bool {
    let version = Command::new("openssl").arg("version").output();
    let is_3 = version.is_ok_and(|output| output.stdout.starts_with(b"OpenSSL 3"));
    if !is_3 {
        println!("skipped: no openssl of version 3");
    }
    is_3
}

#[test]
fn an_independent_verifier_agrees() {
    for with in ["", "openssl"] {
        if !has_openssl() {
            return;
        }
        let Some(output) = verify(&golden(), &public_key(), with) else { return };
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.starts_with("Session 019ae2d8-"), "{said}");
    }
}

#[test]
fn an_independent_verifier_refuses_what_was_changed() {
    if !has_openssl() {
        return;
    }
    let (dir, bytes) = (tempfile::tempdir().unwrap(), std::fs::read(golden()).unwrap());
    let path = dir.path().join("changed.jsonl");
    let refused = |changed: &[u8], key: &str, what: &str| {
        std::fs::write(&path, changed).unwrap();
        let Some(output) = verify(&path, key, "") else { return };
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{what}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    };
    let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    // In a prefix, a body, a signature, and the last newline.
    for at in [20, ends[3] + 300, bytes.len() - 60, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        refused(&changed, &public_key(), &format!("byte {at}"));
    }
    refused(&[&bytes[..=ends[2]], &bytes[ends[3] + 1..]].concat(), &public_key(), "a line is gone");
    refused(&bytes, &public_key().replace('a', "b"), "another key");
}
