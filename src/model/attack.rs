//! What must hold of any bytes that a server sends; for the fuzz targets and
//! their property tests.

pub use super::responses::attack::response;
pub use super::sse::attack::stream;
