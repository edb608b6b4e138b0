use super::*;
use crate::model::check_base_url;
use crate::model::error::SetupError;
use crate::model::server_error::ServerError;

/// One scene; what matters is changed by each row.
struct Stage {
    base: BaseUrl,
    origin: KeyOrigin,
    key_sent: bool,
    words: usize,
    ran_before: bool,
}

impl Stage {
    fn local() -> Self {
        Self { base: check_base_url("http://127.0.0.1:8080/v1").unwrap(), ..Self::hosted() }
    }

    fn hosted() -> Self {
        Self {
            base: check_base_url("https://api.openai.com/v1").unwrap(),
            origin: KeyOrigin::Variable("OPENAI_API_KEY".into()),
            key_sent: true,
            words: 0,
            ran_before: false,
        }
    }

    fn says(&self, trouble: &Trouble) -> String {
        let Self { base, origin, key_sent, words, ran_before } = self;
        let scene = Scene {
            base,
            model: "x",
            key_origin: origin,
            key_sent: *key_sent,
            words: *words,
            ran_before: *ran_before,
        };
        scene.error(trouble).sentence
    }
}

fn refused(class: ErrorClass, status: Option<u16>, message: &str) -> Trouble {
    let error = ServerError { message: message.into(), ..ServerError::default() };
    Trouble::Refused(error.refusal(class, status, None))
}

#[test]
fn the_documented_sentences() {
    let no_key = SetupError::NoKey { variable: "OPENAI_API_KEY".into() };
    assert_eq!(
        ModelError::from(no_key).sentence,
        "OPENAI_API_KEY is not set. Set it, name another variable or a command in config.toml, or start candor --demo."
    );
    let rows = [
        (
            Stage::local(),
            Trouble::Unreachable("connection refused".into()),
            "Nothing answers at http://127.0.0.1:8080/v1 (connection refused). Start the server or choose another with /model.",
        ),
        (
            Stage::hosted(),
            refused(ErrorClass::Auth, Some(401), "Incorrect API key provided"),
            "The server refused the key in OPENAI_API_KEY (401). Nothing was run.",
        ),
        (
            Stage::hosted(),
            refused(ErrorClass::UnknownModel, Some(404), "no"),
            "The server does not know the model \"x\" (404). /model shows what it offers.",
        ),
        (
            Stage { words: 212, ..Stage::hosted() },
            Trouble::Broken("connection closed".into()),
            "The answer broke off after 212 words (connection closed). Nothing was run; your message is in the composer.",
        ),
        (
            Stage::hosted(),
            refused(ErrorClass::Context, Some(400), "too long"),
            "The conversation no longer fits into the model (400). /fork N goes on in a new session without the last N turns.",
        ),
    ];
    for (stage, trouble, sentence) in rows {
        assert_eq!(stage.says(&trouble), sentence);
    }
}

#[test]
fn a_sentence_never_says_that_nothing_ran_in_a_turn_that_ran_something() {
    let stage = Stage { ran_before: true, words: 3, ..Stage::hosted() };
    for trouble in [
        Trouble::Broken("silent for 300 s".into()),
        Trouble::Damaged { what: "it is not UTF-8".into() },
        Trouble::AskedTooLong { wait: Duration::from_secs(90), class: ErrorClass::Rate, about: "429".into() },
        Trouble::Incomplete { reason: "max_output_tokens".into() },
        Trouble::Incomplete { reason: "content_filter".into() },
        Trouble::Incomplete { reason: "steered".into() },
        Trouble::Unusable(super::super::responses::Unusable::Empty),
        refused(ErrorClass::Auth, Some(401), ""),
        refused(ErrorClass::Quota, Some(429), ""),
        refused(ErrorClass::Rate, Some(429), ""),
        refused(ErrorClass::Server, Some(500), ""),
        refused(ErrorClass::Request, Some(400), ""),
    ] {
        let sentence = stage.says(&trouble);
        assert!(sentence.contains("Nothing more was run"), "{sentence}");
    }
}

#[test]
fn the_servers_own_words_are_shown_with_its_id_of_the_request() {
    let error = ServerError { message: "bad \u{1b}[2Jthing".into(), ..ServerError::default() };
    let trouble = Trouble::Refused(error.refusal(ErrorClass::Request, Some(400), Some("req_1")));
    let sentence = "The server refused the request (400): \"bad [2Jthing\" [req_1]. Nothing was run.";
    assert_eq!(Stage::hosted().says(&trouble), sentence);
    let inside = ServerError { code: Some("server_error".into()), ..ServerError::default() };
    let trouble = Trouble::Refused(inside.refusal(ErrorClass::Server, None, None));
    let sentence = "The server is in trouble (server_error). Nothing was run; send it again later.";
    assert_eq!(Stage::hosted().says(&trouble), sentence);
}

#[test]
fn what_to_do_depends_on_what_is_there() {
    let keyless = Stage { key_sent: false, ..Stage::local() };
    let unauthorized = refused(ErrorClass::Auth, Some(401), "");
    let sentence = "The server wants a key (401). Set OPENAI_API_KEY, or name a command in config.toml.";
    assert_eq!(keyless.says(&unauthorized), sentence);
    let command = Stage { origin: KeyOrigin::Command, ..Stage::hosted() };
    let sentence = "The server refused the key from api_key_command (401). Nothing was run.";
    assert_eq!(command.says(&unauthorized), sentence);
    let nothing_there = refused(ErrorClass::Request, Some(404), "Not Found");
    let sentence =
        "There is no Responses API at https://api.openai.com/v1 (404): \"Not Found\". Check base_url.";
    assert_eq!(Stage::hosted().says(&nothing_there), sentence);
    let offline = Trouble::Unreachable("name not found".into());
    let sentence = "Nothing answers at https://api.openai.com/v1 (name not found). Check the network or choose another with /model.";
    assert_eq!(Stage::hosted().says(&offline), sentence);
    let broken = Trouble::Broken("connection reset".into());
    let sentence = "The connection to https://api.openai.com/v1 broke before the answer began (connection reset). Nothing was run; your message is in the composer.";
    assert_eq!(Stage::hosted().says(&broken), sentence);
}

#[test]
fn waits_are_said_in_fitting_units() {
    for (seconds, words) in [(61, "61 s"), (119, "119 s"), (121, "3 min"), (7200, "2 h"), (90_000, "25 h")] {
        assert_eq!(duration(Duration::from_secs(seconds)), words);
    }
}
