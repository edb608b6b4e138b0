//! What must hold of any settings file; for the fuzz target and its property test.

use super::Settings;
use std::path::Path;

/// Reads the bytes as settings: they are used as they stand, or refused with
/// one line that names the file.
///
/// # Panics
/// If it does not hold.
pub fn settings(bytes: &[u8]) {
    match Settings::parse(&String::from_utf8_lossy(bytes), Path::new("/settings.toml")) {
        Ok(settings) => assert!(settings.check().is_ok()),
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.contains('\n') && !sentence.is_empty(), "{sentence:?}");
        }
    }
}
