use super::*;
use crate::model::quirks::Quirk;

const STOP: Remedy = Remedy::Stop;

fn again() -> Remedy {
    Remedy::Again(Again::default())
}

fn after(seconds: f64) -> Remedy {
    Remedy::Again(Again { overloaded: false, at_least: Some(Duration::from_secs_f64(seconds)) })
}

fn overloaded() -> Remedy {
    Remedy::Again(Again { overloaded: true, at_least: None })
}

fn status(head: &Head, body: &str) -> (ErrorClass, Remedy) {
    let failure = by_status(head, &ServerError::read(body), Quirks::default());
    (failure.trouble.class(), failure.remedy)
}

fn plain(code: u16) -> Head {
    Head { status: code, ..Head::default() }
}

fn error(fields: &str) -> String {
    format!(r#"{{"error":{{{fields}}}}}"#)
}

#[test]
fn statuses() {
    use ErrorClass as Class;
    let rows: &[(u16, &str, Class, Remedy)] = &[
        (408, "", Class::Server, again()),
        (409, "", Class::Server, again()),
        (500, "", Class::Server, again()),
        (502, "<html>Bad Gateway</html>", Class::Server, again()),
        (503, "", Class::Server, again()),
        (504, "", Class::Server, again()),
        (520, "", Class::Server, again()),
        (524, "", Class::Server, again()),
        (529, "", Class::Server, overloaded()),
        (501, "", Class::Server, STOP),
        (
            500,
            &error(r#""type":"server_error","message":"Failed to parse tool call arguments as JSON""#),
            Class::Request,
            STOP,
        ),
        (
            500,
            &error(r#""type":"server_error","message":"[json.exception.parse_error.101] parse error""#),
            Class::Request,
            STOP,
        ),
        (500, &error(r#""type":"server_error","message":"out of memory""#), Class::Server, again()),
        (503, &error(r#""code":"server_is_overloaded""#), Class::Server, overloaded()),
        (503, &error(r#""code":"slow_down""#), Class::Server, overloaded()),
        (529, &error(r#""type":"overloaded_error""#), Class::Server, overloaded()),
        (429, "", Class::Rate, again()),
        (
            429,
            &error(r#""code":"rate_limit_exceeded","message":"Please try again in 1.5s.""#),
            Class::Rate,
            after(1.5),
        ),
        (429, &error(r#""code":"insufficient_quota""#), Class::Quota, STOP),
        (429, &error(r#""type":"usage_limit_reached""#), Class::Quota, STOP),
        (429, &error(r#""code":"billing_hard_limit_reached""#), Class::Quota, STOP),
        (402, "", Class::Quota, STOP),
        (400, &error(r#""code":"context_length_exceeded""#), Class::Context, STOP),
        (
            400,
            &error(r#""type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8"#),
            Class::Context,
            STOP,
        ),
        (400, &error(r#""message":"litellm.ContextWindowExceededError: too long""#), Class::Context, STOP),
        (400, &error(r#""message":"This model's maximum context length is 8 tokens""#), Class::Context, STOP),
        (400, &error(r#""param":"include","message":"x""#), Class::Request, Remedy::Without(Quirk::Include)),
        (
            400,
            &error(r#""code":"invalid_encrypted_content""#),
            Class::Request,
            Remedy::Without(Quirk::ReasoningAndIds),
        ),
        (
            404,
            &error(r#""message":"Item with id 'rs_1' not found.""#),
            Class::Request,
            Remedy::Without(Quirk::ReasoningAndIds),
        ),
        (
            422,
            r#"{"detail":[{"loc":["body","store"],"msg":"Extra inputs"}]}"#,
            Class::Request,
            Remedy::Without(Quirk::Store),
        ),
        (404, &error(r#""code":"model_not_found""#), Class::UnknownModel, STOP),
        (
            404,
            &error(r#""message":"model \"x\" not found, try pulling it first""#),
            Class::UnknownModel,
            STOP,
        ),
        (404, &error(r#""message":"The model `x` does not exist.""#), Class::UnknownModel, STOP),
        (400, &error(r#""code":"model_not_found""#), Class::UnknownModel, STOP),
        (404, "<html>Not Found</html>", Class::Request, STOP),
        (
            400,
            &error(r#""message":"No tool output found for function call call_1","param":"input""#),
            Class::Request,
            STOP,
        ),
        (405, "", Class::Request, STOP),
        (413, "", Class::Request, STOP),
        (422, "", Class::Request, STOP),
        (401, "", Class::Auth, STOP),
        (403, "", Class::Auth, STOP),
    ];
    for (code, body, class, remedy) in rows {
        assert_eq!(status(&plain(*code), body), (*class, *remedy), "{code} {body}");
    }
}

#[test]
fn what_the_head_says_goes_before() {
    let waiting = Head { wait: Some(Duration::from_secs(12)), ..plain(429) };
    let body = error(r#""message":"try again in 1s""#);
    assert_eq!(status(&waiting, &body), (ErrorClass::Rate, after(12.0)));
    let never = Head { should_retry: Some(false), ..plain(500) };
    assert_eq!(status(&never, ""), (ErrorClass::Server, STOP));
    let please = Head { should_retry: Some(true), ..plain(400) };
    assert_eq!(status(&please, ""), (ErrorClass::Request, again()));
    let unavailable = Head { wait: Some(Duration::from_secs(5)), ..plain(503) };
    assert_eq!(status(&unavailable, ""), (ErrorClass::Server, after(5.0)));
}

#[test]
fn recorded_refusals_of_a_strict_server_are_final() {
    for body in [
        include_str!("../../../tests/fixtures/wire/llama-server/responses_duplicate.400.json"),
        include_str!("../../../tests/fixtures/wire/llama-server/responses_missing_output.400.json"),
        include_str!("../../../tests/fixtures/wire/llama-server/responses_orphan_output.400.json"),
    ] {
        assert_eq!(status(&plain(400), body), (ErrorClass::Request, STOP));
    }
}

#[test]
fn errors_inside_an_answer() {
    use ErrorClass as Class;
    let rows: &[(&str, Class, Remedy)] = &[
        (
            r#""code":"rate_limit_exceeded","message":"Please try again in 11.054s.""#,
            Class::Rate,
            after(11.054),
        ),
        (r#""code":"rate_limit_exceeded","message":"x""#, Class::Rate, again()),
        (r#""code":"context_length_exceeded""#, Class::Context, STOP),
        (r#""code":"insufficient_quota""#, Class::Quota, STOP),
        (r#""code":"invalid_prompt""#, Class::Request, STOP),
        (r#""code":"bio_policy""#, Class::Request, STOP),
        (r#""code":"cyber_policy""#, Class::Request, STOP),
        (r#""code":"misalignment_policy_violation""#, Class::Request, STOP),
        (r#""code":"model_not_found""#, Class::UnknownModel, STOP),
        (r#""code":"server_error""#, Class::Server, again()),
        (r#""type":"overloaded_error""#, Class::Server, overloaded()),
        (r#""code":502"#, Class::Server, again()),
        (r#""code":429"#, Class::Rate, again()),
        (r#""code":"402""#, Class::Quota, STOP),
        (r#""code":400,"message":"x""#, Class::Request, STOP),
        (r#""message":"boom""#, Class::Server, again()),
    ];
    for (fields, class, remedy) in rows {
        let failure = in_answer(&ServerError::read(&error(fields)));
        assert_eq!((failure.trouble.class(), failure.remedy), (*class, *remedy), "{fields}");
    }
}
