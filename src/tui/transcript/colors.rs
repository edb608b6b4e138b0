//! Code that a grammar has coloured, and code that waits for it. A grammar is
//! slow, so code is drawn plain until its colours come from another thread.

use crate::text::{Block, Code, Row};
use std::cell::RefCell;
use std::collections::HashMap;

/// How many codes are remembered; those in sight are asked for again.
const MOST: usize = 512;

/// What is known of each code.
#[derive(Debug, Default)]
pub(crate) struct Colors {
    known: RefCell<HashMap<Code, Known>>,
    wanted: RefCell<Vec<Code>>,
}

#[derive(Debug)]
enum Known {
    /// Nothing yet.
    Asked,
    /// Its language is not known.
    Plain,
    /// Its lines.
    Colored(Vec<Row>),
}

impl Colors {
    /// The rows of a block in the colours that are known.
    pub(crate) fn rows(&self, block: &Block, width: usize) -> Vec<Row> {
        let Some(code) = block.code() else { return block.rows(width) };
        let mut known = self.known.borrow_mut();
        match known.get(code) {
            Some(Known::Colored(lines)) => {
                let mut block = block.clone();
                block.color(lines);
                block.rows(width)
            }
            Some(Known::Asked | Known::Plain) => block.rows(width),
            None => {
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(code.clone(), Known::Asked);
                self.wanted.borrow_mut().push(code.clone());
                block.rows(width)
            }
        }
    }

    /// What was drawn plain and could be coloured.
    pub(crate) fn take_wanted(&self) -> Vec<Code> {
        self.wanted.take()
    }

    /// Colours have come.
    pub(crate) fn learn(&self, colored: Vec<(Code, Option<Vec<Row>>)>) {
        let known = |lines: Option<Vec<Row>>| lines.map_or(Known::Plain, Known::Colored);
        self.known.borrow_mut().extend(colored.into_iter().map(|(code, lines)| (code, known(lines))));
    }
}
