//! Reading a journal from its first byte to its last, once.
//!
//! The last line's signature vouches for all before it, because each `prev`
//! covers the line before with its signature. Only if something is wrong the
//! file is read a second time with every signature checked, to find the last
//! line that is good.

use super::ahead::{self, Ending};
use super::chain::Chain;
use super::error::{Damage, Fault};
use super::files::OpenFile;
use super::lines::Lines;
use super::parsed::Parsed;
use super::seal::{self, Domain};
use super::verify::{self, Verifiers};
use crate::record::limits::JOURNAL_BYTES;
use crate::record::{KeyId, SessionId};
use ed25519_dalek::VerifyingKey;
use std::io;

/// Where public keys come from: never from the journal itself.
pub type KeyLookup<'a> = dyn Fn(&KeyId) -> Option<VerifyingKey> + 'a;

/// Bytes after the last newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Where they begin.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What a journal holds, up to its last good line.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The good lines, folded as far as this version knows them.
    pub chain: Chain,
    /// Their length in bytes.
    pub bytes: u64,
    /// Length in bytes of those whose form this version knows: what the last
    /// signature vouches for.
    pub vouched: u64,
    /// Bytes after the last newline.
    pub torn: Option<TornTail>,
    /// The first line that is not good.
    pub damage: Option<Damage>,
    /// The key that signs the journal, if there is such a key here. Without it
    /// no signature was checked.
    pub key: Option<VerifyingKey>,
}

impl Reading {
    /// Nothing was read of this session's journal yet.
    pub(crate) fn nothing(sid: SessionId) -> Self {
        Self { chain: Chain::new(sid), bytes: 0, vouched: 0, torn: None, damage: None, key: None }
    }
}

/// How far a reading has got is told after that many bytes.
const STEP_BYTES: u64 = 1 << 20;

/// Reads a journal from its first line on and verifies every signature on all
/// cores; tells now and then how many bytes it has read.
///
/// # Errors
/// What the system says; damage is no error but part of the answer. The fold
/// may then have gone past it.
pub fn read_verified(
    lines: Lines<'_>,
    sid: SessionId,
    key: VerifyingKey,
    progress: &dyn Fn(u64),
) -> io::Result<Reading> {
    go_on_verified(lines, Reading::nothing(sid), key, progress)
}

/// The same from where another reading of the file ended, with the lines from
/// there on. What that one was given is not read again: it is its caller's to
/// know that those bytes are the same.
pub(crate) fn go_on_verified(
    lines: Lines<'_>,
    from: Reading,
    key: VerifyingKey,
    progress: &dyn Fn(u64),
) -> io::Result<Reading> {
    let keys = |id: &KeyId| (*id == KeyId::of(key.as_bytes())).then_some(key);
    let (reading, bad) = verify::on_all_cores(&key, |verifiers| {
        Pass { progress, ..Pass::from(from, &keys, Signatures::Apart(verifiers)) }.run(lines)
    });
    let mut reading = reading?;
    let before = |damage: &Damage| bad.is_none_or(|line| damage.line <= line);
    if let (Some(line), None) = (bad, reading.damage.as_ref().filter(|damage| before(damage))) {
        let fault = Fault::Signature(KeyId::of(key.as_bytes()));
        reading.damage = Some(Damage { line, fault });
    }
    Ok(reading)
}

/// Reads an open journal.
///
/// # Errors
/// What the system says; damage is no error but part of the answer.
pub fn read(file: &dyn OpenFile, sid: SessionId, keys: &KeyLookup<'_>) -> io::Result<Reading> {
    let reading = Pass::new(sid, keys, Signatures::Last).run(Lines::new(file, 0))?;
    match reading.damage {
        Some(_) => Pass::new(sid, keys, Signatures::Every).run(Lines::new(file, 0)),
        None => Ok(reading),
    }
}

/// Which signatures are checked, and where.
enum Signatures<'a> {
    /// The last line's, at the end.
    Last,
    /// Every line's, before it is folded.
    Every,
    /// Every line's, by other threads.
    Apart(&'a mut Verifiers),
}

struct Pass<'a> {
    keys: &'a KeyLookup<'a>,
    signatures: Signatures<'a>,
    reading: Reading,
    /// The last line whose signature can be checked.
    last: Vec<u8>,
    progress: &'a dyn Fn(u64),
}

impl<'a> Pass<'a> {
    fn new(sid: SessionId, keys: &'a KeyLookup<'a>, signatures: Signatures<'a>) -> Self {
        Self::from(Reading::nothing(sid), keys, signatures)
    }

    fn from(reading: Reading, keys: &'a KeyLookup<'a>, signatures: Signatures<'a>) -> Self {
        Self { keys, signatures, reading, last: Vec::new(), progress: &|_| () }
    }

    /// Where the lines begin, this reading has ended.
    fn run(mut self, lines: Lines<'_>) -> io::Result<Reading> {
        let mut offset = lines.offset();
        let ended = ahead::each_line(lines, |line, parsed| {
            offset += line.len() as u64;
            self.take(line, parsed, offset)
        });
        let fault = match ended {
            Ok(ending) => self.end(ending?).err(),
            Err(fault) => Some(fault),
        };
        match fault {
            Some(fault) => {
                let line = self.reading.chain.next_line();
                self.reading.damage = Some(Damage { line, fault });
            }
            None => self.check_last(),
        }
        Ok(self.reading)
    }

    fn end(&mut self, ending: Ending) -> Result<(), Fault> {
        let begun = self.reading.chain.next_line() > 1;
        match ending {
            Ending::TooLong => Err(Fault::LongLine),
            Ending::End | Ending::Torn(_) if !begun => Err(Fault::Empty),
            Ending::End => Ok(()),
            Ending::Torn(bytes) => {
                self.reading.torn = Some(TornTail { offset: self.reading.bytes, bytes });
                Ok(())
            }
        }
    }

    /// Takes a line that ends at this offset.
    fn take(&mut self, line: &[u8], parsed: Parsed, offset: u64) -> Result<(), Fault> {
        if offset > JOURNAL_BYTES {
            return Err(Fault::LongJournal);
        }
        let checked = self.reading.chain.check_parsed(parsed)?;
        if let Some(key_id) = checked.key_id()
            && self.reading.key.is_none()
        {
            self.reading.key = (self.keys)(key_id);
        }
        let framed = checked.is_framed();
        if framed {
            let number = self.reading.chain.next_line();
            match &mut self.signatures {
                Signatures::Last => {}
                Signatures::Every => verify_line(self.reading.key.as_ref(), line)?,
                Signatures::Apart(verifiers) => verifiers.take(number, line),
            }
        }
        self.reading.chain.fold(checked)?;
        if self.reading.bytes / STEP_BYTES != offset / STEP_BYTES {
            (self.progress)(offset);
        }
        self.reading.bytes = offset;
        if framed {
            self.reading.vouched = offset;
            self.last.clear();
            self.last.extend_from_slice(line);
        }
        Ok(())
    }

    fn check_last(&mut self) {
        if let Signatures::Last = self.signatures
            && let Err(fault) = verify_line(self.reading.key.as_ref(), &self.last)
        {
            let line = self.reading.chain.hashes().len() as u64;
            self.reading.damage = Some(Damage { line, fault });
        }
    }
}

/// Checks a line's signature. Without a key nothing can be held against it.
///
/// # Errors
/// [`Fault::Signature`].
pub fn verify_line(key: Option<&VerifyingKey>, line: &[u8]) -> Result<(), Fault> {
    match key {
        Some(key) if !seal::verify(Domain::Journal, line, key) => {
            Err(Fault::Signature(KeyId::of(key.as_bytes())))
        }
        Some(_) | None => Ok(()),
    }
}
