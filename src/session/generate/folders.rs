//! Call folders as a crash may leave them, and as it never would.

use super::dispatch_id;
use crate::record::{
    DispatchId, Ended, FolderFacts, Operation, Order, Receipt, SpoolFacts, Survivor, Timestamp, excerpt,
};
use crate::session::generate::bodies;
use crate::session::{Call, Session, Turn};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A folder in general; [`Sketch::draw`] makes it one of a session.
#[derive(Debug, Clone)]
pub(crate) struct Sketch {
    pub(crate) of: Of,
    pub(crate) order: OrderIs,
    pub(crate) launched: bool,
    pub(crate) lock_held: bool,
    pub(crate) receipt: Option<ReceiptSketch>,
    pub(crate) alive: bool,
    pub(crate) output: &'static str,
}

/// Which execution a folder is of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of {
    /// The open call's start, else one that no record names.
    OpenCall,
    /// One that no record names.
    Unnamed(u128),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum OrderIs {
    Absent,
    Fitting,
    OfAnotherCall,
    OfAnotherOperation,
}

#[derive(Debug, Clone)]
pub(crate) struct ReceiptSketch {
    pub(crate) ended: Ended,
    pub(crate) exit_code: Option<u8>,
    pub(crate) signal: Option<u8>,
    /// Whether it has this execution's fingerprint.
    pub(crate) fits: bool,
}

impl Sketch {
    /// A folder after step 1: ordered and nothing more.
    pub(crate) const LAID: Self = Self {
        of: Of::OpenCall,
        order: OrderIs::Fitting,
        launched: false,
        lock_held: false,
        receipt: None,
        alive: false,
        output: "",
    };

    /// A folder whose supervisor was killed.
    pub(crate) const LAUNCHED: Self = Self { launched: true, output: "so far\n", ..Self::LAID };

    pub(crate) fn receipt(ended: Ended, exit_code: Option<u8>, signal: Option<u8>) -> Self {
        Self { receipt: Some(ReceiptSketch { ended, exit_code, signal, fits: true }), ..Self::LAUNCHED }
    }

    /// This folder in this session; none if it has no open call.
    pub(crate) fn draw(&self, session: &Session) -> Option<FolderFacts> {
        let turn = session.open_turn()?;
        let call = turn.open_call()?;
        let started = call.start.as_ref().map(|start| start.dispatch);
        let dispatch = match self.of {
            Of::OpenCall => started.unwrap_or(dispatch_id(9_000)),
            Of::Unnamed(number) => dispatch_id(9_000 + number),
        };
        let operation = call.operation().cloned().unwrap_or_else(|| bodies::operation("lost"));
        let bytes = self.output.as_bytes();
        Some(FolderFacts {
            dispatch,
            order: self.draw_order(session, turn, call, dispatch, &operation),
            launched: self.launched,
            lock_held: self.lock_held,
            receipt: self.receipt.as_ref().map(|receipt| receipt.draw(dispatch, &operation, bytes)),
            alive: if self.alive { vec![survivor()] } else { Vec::new() },
            output: SpoolFacts {
                excerpt: excerpt(bytes, bytes, bytes.len() as u64),
                spool_bytes: bytes.len() as u64,
                sha256: crate::record::Digest::of(bytes),
                modified_at: None,
            },
        })
    }

    fn draw_order(
        &self,
        session: &Session,
        turn: &Turn,
        call: &Call,
        dispatch: DispatchId,
        operation: &Operation,
    ) -> Option<Order> {
        let fitting = Order {
            v: 1,
            session: session.id(),
            turn: turn.id,
            call: call.id.clone(),
            dispatch,
            fingerprint: operation.fingerprint(),
            operation: operation.clone(),
        };
        let other = bodies::operation("something else");
        match self.order {
            OrderIs::Absent => None,
            OrderIs::Fitting => Some(fitting),
            OrderIs::OfAnotherCall => Some(Order { call: bodies::call_id("another"), ..fitting }),
            OrderIs::OfAnotherOperation => {
                Some(Order { fingerprint: other.fingerprint(), operation: other, ..fitting })
            }
        }
    }
}

impl ReceiptSketch {
    fn draw(&self, dispatch: DispatchId, operation: &Operation, output: &[u8]) -> Receipt {
        let fingerprint = operation.fingerprint();
        Receipt {
            v: 1,
            dispatch,
            fingerprint: if self.fits { fingerprint } else { crate::record::Digest::ZERO },
            ended: self.ended,
            exit_code: self.exit_code,
            signal: self.signal,
            started_at: Some(Timestamp::from_millis(2_000)),
            ended_at: Timestamp::from_millis(3_000),
            output_bytes: output.len() as u64,
            spool_bytes: output.len() as u64,
            output_sha256: crate::record::Digest::of(output),
            output_lost: false,
            pipe_held: false,
            survivors: None,
        }
    }
}

fn survivor() -> Survivor {
    Survivor { pid: 4190, command: "sleep 600".into() }
}

/// What a crash at some moment can leave for the open call: at most one folder.
pub(crate) fn consistent() -> impl Strategy<Value = Vec<Sketch>> {
    let one = prop_oneof![
        Just(Sketch::LAID),
        Just(Sketch { lock_held: true, ..Sketch::LAID }),
        Just(Sketch { lock_held: true, alive: true, ..Sketch::LAUNCHED }),
        Just(Sketch { alive: true, ..Sketch::LAUNCHED }),
        Just(Sketch::LAUNCHED),
        Just(Sketch::receipt(Ended::Exit, Some(0), None)),
        Just(Sketch::receipt(Ended::Exit, Some(3), None)),
        Just(Sketch::receipt(Ended::Exit, None, Some(11))),
        Just(Sketch::receipt(Ended::TimeLimit, None, Some(15))),
        Just(Sketch::receipt(Ended::OutputLimit, None, Some(9))),
        Just(Sketch::receipt(Ended::Stopped, Some(130), None)),
        Just(Sketch::receipt(Ended::NotStarted, None, None)),
    ];
    vec(one, 0..2)
}

/// Folders that contradict themselves, the records and each other.
pub(crate) fn arbitrary() -> impl Strategy<Value = Vec<Sketch>> {
    let of = prop_oneof![Just(Of::OpenCall), (1..3_u128).prop_map(Of::Unnamed)];
    let order =
        select(vec![OrderIs::Absent, OrderIs::Fitting, OrderIs::OfAnotherCall, OrderIs::OfAnotherOperation]);
    let ended =
        select(vec![Ended::Exit, Ended::TimeLimit, Ended::OutputLimit, Ended::Stopped, Ended::NotStarted]);
    let receipt = (ended, any::<Option<u8>>(), any::<Option<u8>>(), any::<bool>())
        .prop_map(|(ended, exit_code, signal, fits)| ReceiptSketch { ended, exit_code, signal, fits });
    let output = select(vec!["", "so far\n"]);
    let flags = (any::<bool>(), prop::bool::weighted(0.2), any::<bool>());
    let one = (of, order, proptest::option::of(receipt), output, flags).prop_map(
        |(of, order, receipt, output, (launched, lock_held, alive))| Sketch {
            of,
            order,
            launched,
            lock_held,
            receipt,
            alive,
            output,
        },
    );
    vec(one, 0..4)
}

/// All sketches in this session.
pub(crate) fn draw(sketches: &[Sketch], session: &Session) -> Vec<FolderFacts> {
    sketches.iter().filter_map(|sketch| sketch.draw(session)).collect()
}
