//! The neutral form of what a model is told; `session` makes it, `model` sends it.

use super::{CallId, Item};
use std::sync::Arc;

/// One item of a request's input, in order.
#[derive(Debug, Clone)]
pub enum ContextItem {
    /// A message of the user's.
    User {
        /// The text.
        text: String,
    },
    /// Candor's own words, in the assistant's place; never the last item.
    Notice {
        /// The text; begins `Candor runtime notice:`.
        text: String,
    },
    /// An item that a model made.
    Model {
        /// The item; a call's id may have been renamed in it.
        item: Item,
        /// Who made it; raw items go back only to the same maker.
        maker: Arc<Maker>,
    },
    /// The one result of a call.
    Result {
        /// The call, by the id that its item has in this request.
        call_id: CallId,
        /// A JSON object as text.
        output: String,
    },
}

/// Which server and model made an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maker {
    /// The protocol of the item's form, such as `responses`.
    pub protocol: String,
    /// Base URL without credentials; absent in imported turns.
    pub server: Option<String>,
    /// The model's name; absent in imported turns.
    pub model: Option<String>,
}
