//! Every attack by bytes: the fuzz targets under `tests/fuzz`, and in the tests
//! their corpus and mutations of it.
#![allow(clippy::unwrap_used, clippy::panic)] // an attack that gets through has to be loud

/// Panics if something does not hold of these bytes.
pub type Attack = fn(&[u8]);

/// The name of a fuzz target and of its folder under `tests/fixtures/fuzz`, and
/// what panics if something does not hold.
pub const ATTACKS: &[(&str, Attack)] = &[
    ("cleaner", crate::text::attack::cleaner),
    ("import", crate::store::attack_import),
    ("input", crate::tui::attack_input),
    ("journal", crate::journal::attack::reader),
    ("output", crate::text::attack::output),
    ("records", crate::session::attack::records),
    ("response", crate::model::attack::response),
    ("settings", crate::config::attack::settings),
    ("stream", crate::model::attack::stream),
];

/// Runs the attack of this name.
///
/// # Panics
/// If something does not hold, or there is no such attack.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, attack) = ATTACKS.iter().find(|(known, _)| *known == name).unwrap();
    attack(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};
    use std::path::Path;
    use std::sync::OnceLock;

    struct Target {
        name: &'static str,
        run: Attack,
        corpus: Vec<Vec<u8>>,
    }

    #[allow(clippy::disallowed_methods)] // fixtures are files
    fn attacks() -> &'static [Target] {
        static READ: OnceLock<Vec<Target>> = OnceLock::new();
        READ.get_or_init(|| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fuzz");
            let read = |&(name, run)| {
                let entries = std::fs::read_dir(root.join(name)).unwrap();
                let corpus: Vec<_> =
                    entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
                assert!(!corpus.is_empty(), "{name} has no corpus");
                Target { name, run, corpus }
            };
            ATTACKS.iter().map(read).collect()
        })
    }

    #[test]
    fn the_corpora_hold() {
        for attack in attacks() {
            println!("{}", attack.name);
            attack.corpus.iter().for_each(|bytes| (attack.run)(bytes));
        }
    }

    /// One change of some bytes.
    #[derive(Debug, Clone)]
    enum Change {
        Set(Index, u8),
        Remove(Index, u8),
        Double(Index, u8),
        Insert(Index, Vec<u8>),
        Cut(Index),
        /// Both are joined at these places.
        Splice(Index, Index, Index),
    }

    fn change() -> impl Strategy<Value = Change> {
        let at = any::<Index>;
        let pieces: &[&[u8]] = &[
            b"\n",
            b"\r",
            b"\x1b[",
            b"\x1b]0;",
            b"\"",
            b"\\u0000",
            b"\\ud800",
            b"{}",
            b"[[[[",
            b"null",
            b"-1",
            b"1e999",
            b"9007199254740993",
            b"data: ",
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"\xe2\x80\xae",
            b"=",
        ];
        prop_oneof![
            (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
            (at(), any::<u8>()).prop_map(|(at, length)| Change::Remove(at, length)),
            (at(), any::<u8>()).prop_map(|(at, length)| Change::Double(at, length)),
            (at(), select(pieces)).prop_map(|(at, piece)| Change::Insert(at, piece.to_vec())),
            (at(), proptest::collection::vec(any::<u8>(), 0..9)).prop_map(|(at, b)| Change::Insert(at, b)),
            at().prop_map(Change::Cut),
            (at(), at(), at()).prop_map(|(other, from, to)| Change::Splice(other, from, to)),
        ]
    }

    fn changed(mut bytes: Vec<u8>, change: &Change, corpus: &[Vec<u8>]) -> Vec<u8> {
        let place = |at: &Index| at.index(bytes.len() + 1);
        let range = |at: &Index, length: u8| {
            let from = place(at);
            from..bytes.len().min(from + usize::from(length))
        };
        match change {
            Change::Set(at, byte) => {
                let at = place(at);
                if let Some(old) = bytes.get_mut(at) {
                    *old = *byte;
                }
            }
            Change::Remove(at, length) => drop(bytes.drain(range(at, *length))),
            Change::Double(at, length) => {
                let range = range(at, *length);
                let (end, copy) = (range.end, bytes[range].to_vec());
                bytes.splice(end..end, copy);
            }
            Change::Insert(at, piece) => {
                let at = place(at);
                bytes.splice(at..at, piece.iter().copied());
            }
            Change::Cut(at) => bytes.truncate(place(at)),
            Change::Splice(other, from, to) => {
                let (other, from) = (other.get(corpus), place(from));
                bytes.truncate(from);
                bytes.extend_from_slice(&other[to.index(other.len() + 1)..]);
            }
        }
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 10_000 }))]

        #[test]
        fn changed_corpora_hold(
            seed in any::<Index>(),
            changes in proptest::collection::vec(change(), 1..6),
        ) {
            for attack in attacks() {
                let bytes = changes.iter().fold(seed.get(&attack.corpus).clone(), |bytes, change| {
                    changed(bytes, change, &attack.corpus)
                });
                (attack.run)(&bytes);
            }
        }

        #[test]
        fn any_bytes_hold(bytes in any::<Vec<u8>>()) {
            attacks().iter().for_each(|attack| (attack.run)(&bytes));
        }
    }
}
