//! The supervisor's last word.

use super::spool::Spool;
use crate::record::{Ended, Order, Receipt, Survivor, Timestamp, limits};
use crate::tools::folder::{Folder, RECEIPT, RECEIPT_ROOM};
use rustix::process::WaitStatus;
use std::io::{self, Write};

/// How the command went, its output left aside.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) ended: Ended,
    /// How the shell ended; absent if there was none.
    pub(super) status: Option<WaitStatus>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) ended_at: Timestamp,
    pub(super) pipe_held: bool,
    pub(super) survivors: Vec<Survivor>,
}

impl Course {
    /// Of a command that could not be started.
    pub(super) fn not_started(at: Timestamp) -> Self {
        Self {
            ended: Ended::NotStarted,
            status: None,
            started_at: None,
            ended_at: at,
            pipe_held: false,
            survivors: Vec::new(),
        }
    }
}

/// Makes the output durable, then the receipt, in the room laid out for it.
pub(super) fn write_receipt(folder: &Folder, order: &Order, spool: Spool, course: Course) -> io::Result<()> {
    let spooled = spool.finish(folder);
    let small = |n: i32| u8::try_from(n).ok();
    let receipt = Receipt {
        v: 1,
        dispatch: order.dispatch,
        fingerprint: order.fingerprint,
        ended: course.ended,
        exit_code: course.status.and_then(WaitStatus::exit_status).and_then(small),
        signal: course.status.and_then(WaitStatus::terminating_signal).and_then(small),
        started_at: course.started_at,
        ended_at: course.ended_at,
        output_bytes: spooled.output_bytes,
        spool_bytes: spooled.spool_bytes,
        output_sha256: spooled.sha256,
        output_lost: spooled.lost,
        pipe_held: course.pipe_held,
        survivors: Some(course.survivors),
    };
    put(folder, &fitting(receipt)?)
}

/// The bytes of a receipt, with as many survivors as there is room for.
fn fitting(mut receipt: Receipt) -> io::Result<Vec<u8>> {
    let mut survivors = receipt.survivors.take().unwrap_or_default();
    survivors.truncate(limits::SURVIVORS);
    loop {
        receipt.survivors = (!survivors.is_empty()).then(|| survivors.clone());
        let bytes = serde_json::to_vec(&receipt)?;
        if bytes.len() <= limits::RECEIPT_BYTES || survivors.pop().is_none() {
            return Ok(bytes);
        }
    }
}

fn put(folder: &Folder, bytes: &[u8]) -> io::Result<()> {
    let mut file = folder.open_to_write(RECEIPT_ROOM).or_else(|_| {
        // The command may have put something else in its place.
        let _ = folder.remove(RECEIPT_ROOM);
        folder.create(RECEIPT_ROOM)
    })?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    // If this fails the receipt still tells whoever looks before a power cut.
    let synced = file.sync_data();
    folder.rename(RECEIPT_ROOM, RECEIPT)?;
    synced.and(folder.sync())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Digest, DispatchId};

    fn receipt(survivors: Vec<Survivor>) -> Receipt {
        let nothing = Digest::of(b"");
        Receipt {
            v: 1,
            dispatch: DispatchId::parse("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b").unwrap(),
            fingerprint: nothing,
            ended: Ended::Exit,
            exit_code: Some(0),
            signal: None,
            started_at: None,
            ended_at: Timestamp::from_millis(0),
            output_bytes: 0,
            spool_bytes: 0,
            output_sha256: nothing,
            output_lost: false,
            pipe_held: false,
            survivors: Some(survivors),
        }
    }

    #[test]
    fn survivors_are_cut_to_the_room() {
        for (command, count) in [("sleep 100".to_owned(), 20), ("\u{1}".repeat(120), 5), (String::new(), 20)]
        {
            let many = (0..500).map(|pid| Survivor { pid, command: command.clone() }).collect();
            let bytes = fitting(receipt(many)).unwrap();
            assert!(bytes.len() <= limits::RECEIPT_BYTES);
            let back: Receipt = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(back.survivors.unwrap().len(), count, "{command:?}");
        }
    }

    #[test]
    fn without_survivors_there_is_no_field() {
        assert!(!String::from_utf8(fitting(receipt(Vec::new())).unwrap()).unwrap().contains("survivors"));
    }
}
