//! A wrong command line is exit code 64, never 1 or 2.

use crate::scene::finished;

#[test]
fn a_wrong_command_line_is_64_and_says_the_usage() {
    let (scratch, id) = finished();
    let other = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    for arguments in [
        &["inspect"][..],
        &["inspect", ""],
        &["inspect", &id, other],
        &["inspect", &id, "--session", "7"],
        &["inspect", &id, "--session"],
        &["inspect", &id, "--session", other, "--session", other],
        &["inspect", &id, "--public-key", "no key"],
        &["inspect", &id, "--expect-head", "ABC"],
        &["inspect", &id, "--operator-key", "/dev/null"],
        &["inspect", &id, "--turn", "last"],
        &["inspect", &id, "--json", "--json"],
        &["inspect", &id, "--json=yes"],
        &["inspect", &id, "--what"],
    ] {
        let output = scratch.run(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}: {output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("Usage: candor inspect"),
            "{arguments:?}: {output:?}"
        );
    }
}
