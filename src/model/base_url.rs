//! Where a server is: the one form of a base URL.

use super::ModelError;
use super::error::SetupError;
use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// `http` or `https`, a host, a path without a slash at its end; no credentials,
/// no query, no fragment. So it may be shown and recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    url: Url,
}

/// Reads a base URL; slashes at its end are dropped.
///
/// # Errors
/// A sentence for what is wrong with it. It does not repeat credentials.
pub fn check_base_url(text: &str) -> Result<BaseUrl, ModelError> {
    BaseUrl::read(text).map_err(|what| SetupError::BaseUrl { what }.into())
}

impl BaseUrl {
    fn read(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(text.trim()).map_err(|_| "is not a URL like https://host/v1")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("must begin with http:// or https://");
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err("names no host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a name or password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must not have a query or a fragment");
        }
        Ok(Self { url })
    }

    /// The address of something below the base, such as `responses`.
    pub(super) fn join(&self, path: &str) -> String {
        format!("{self}/{path}")
    }

    /// Whether what is sent there stays on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        address.map_or_else(
            |_| host == "localhost" || host.ends_with(".localhost"),
            |address| address.is_loopback(),
        )
    }

    /// Whether what is sent there is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form() {
        for (text, form) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("https://API.openai.com/v1//", "https://api.openai.com/v1"),
            (" http://127.0.0.1:8080 ", "http://127.0.0.1:8080"),
            ("http://[::1]:8080/v1/", "http://[::1]:8080/v1"),
        ] {
            let url = check_base_url(text).unwrap();
            assert_eq!(url.to_string(), form);
            assert_eq!(url.join("responses"), format!("{form}/responses"));
        }
    }

    #[test]
    fn what_cannot_be_a_base_is_refused_without_repeating_secrets() {
        for text in [
            "",
            "api.openai.com/v1",
            "ftp://host/v1",
            "file:///v1",
            "https://user:hunter2@host/v1",
            "https://hunter2@host/v1",
            "https://host/v1?key=hunter2",
            "https://host/v1#hunter2",
        ] {
            let error = check_base_url(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn loopback_is_known_by_address_and_name() {
        for (text, loopback) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.9.9.9/v1", true),
            ("http://localhost:11434/v1", true),
            ("http://[::1]/v1", true),
            ("http://192.168.1.5/v1", false),
            ("https://localhost.example/v1", false),
        ] {
            assert_eq!(check_base_url(text).unwrap().is_loopback(), loopback, "{text}");
        }
    }
}
