//! Which session is meant by an id, or by the beginning of one.

use crate::config::Paths;
use crate::record::SessionId;
use crate::store::inspect::Target;
use crate::store::{Kind, Store, StoreError};
use crate::text::Clean;

/// What a beginning has at least, in characters.
const SHORTEST: usize = 8;
/// An id of which every character may be the one that is meant, but for the version.
const FORM: &[u8] = b"xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx";

/// A session as somebody names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionName {
    /// By its whole id.
    Id(SessionId),
    /// By the beginning of its id, of at least 8 characters.
    Beginning(String),
}

impl SessionName {
    /// Reads an id or the beginning of one; whether there is such a session is
    /// another question.
    ///
    /// # Errors
    /// What would be right.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if let Ok(id) = SessionId::parse(text) {
            return Ok(Self::Id(id));
        }
        let fits = |(byte, form): (u8, &u8)| match form {
            b'x' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            other => byte == *other,
        };
        let begins = (SHORTEST..FORM.len()).contains(&text.len()) && text.bytes().zip(FORM).all(fits);
        if begins {
            return Ok(Self::Beginning(text.to_owned()));
        }
        Err("not a session's id, nor at least its first 8 characters, in lower case")
    }

    /// The session that is meant. A whole id is not looked for.
    ///
    /// # Errors
    /// A sentence, if none or several begin so, or they cannot be listed.
    pub fn find(&self, paths: &Paths) -> Result<SessionId, String> {
        self.one_of(paths, Store::beginning_with, "")
    }

    /// The same among the sessions in the trash.
    ///
    /// # Errors
    /// As [`SessionName::find`].
    pub(super) fn find_trashed(&self, paths: &Paths) -> Result<SessionId, String> {
        self.one_of(paths, Store::trashed_beginning_with, " in the trash")
    }

    fn one_of(
        &self,
        paths: &Paths,
        beginning: fn(&Store, &str) -> Result<Vec<SessionId>, StoreError>,
        place: &str,
    ) -> Result<SessionId, String> {
        let text = match self {
            Self::Id(id) => return Ok(*id),
            Self::Beginning(text) => text,
        };
        let store = Store::at(&paths.data, &paths.config, Kind::Real);
        let found =
            beginning(&store, text).map_err(|error| format!("The sessions cannot be listed: {error}."))?;
        match found.as_slice() {
            [id] => Ok(*id),
            [] => Err(format!(
                "There is no session{place} that begins with {text}. candor sessions lists them."
            )),
            several => {
                Err(format!("{} sessions{place} begin with {text}; more of the id is needed.", several.len()))
            }
        }
    }
}

/// The session that is meant where a path was read, if there is no such file.
///
/// # Errors
/// A sentence, if it is neither.
pub(super) fn session_or_path(paths: &Paths, target: Target) -> Result<Target, String> {
    let Target::Path(path) = &target else { return Ok(target) };
    let is_word = path.components().count() == 1 && path.symlink_metadata().is_err();
    match path.to_str().filter(|_| is_word).map(SessionName::parse) {
        Some(Ok(name)) => name.find(paths).map(Target::Session),
        Some(Err(_)) => {
            let word = path.display().to_string();
            Err(format!("{} is neither a session's id nor a file.", Clean::line(&word)))
        }
        None => Ok(target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_has_the_form_of_an_id() {
        let id = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(SessionName::parse(id), Ok(SessionName::Id(SessionId::parse(id).unwrap())));
        for length in 8..id.len() {
            assert_eq!(
                SessionName::parse(&id[..length]),
                Ok(SessionName::Beginning(id[..length].to_owned()))
            );
        }
        let longer = format!("{id}0");
        for wrong in
            ["", "0193a1b", "0193A1B2", "0193a1b2c", "0193a1b2-c3d4-4", "hello-you", "0193a1b%", &longer]
        {
            assert!(SessionName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
