//! Every order of inputs.

use super::*;

#[derive(Debug, Clone)]
enum Move {
    Say,
    Join,
    StopAnswer,
    StopCommand,
    Text,
    Calls(u8),
    SameId,
    Fail,
    Verdict(u8),
    StaleDecision,
    Lay,
    LayFails,
    End(u8),
    Lost,
    Extend(bool),
    Acknowledge,
    Revoke,
    NoSpace(bool),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => Just(Move::Say),
        1 => Just(Move::Join),
        1 => Just(Move::StopAnswer),
        1 => Just(Move::StopCommand),
        2 => Just(Move::Text),
        6 => (1u8..4).prop_map(Move::Calls),
        1 => Just(Move::SameId),
        1 => Just(Move::Fail),
        6 => (0u8..6).prop_map(Move::Verdict),
        1 => Just(Move::StaleDecision),
        6 => Just(Move::Lay),
        1 => Just(Move::LayFails),
        6 => (0u8..5).prop_map(Move::End),
        1 => Just(Move::Lost),
        1 => any::<bool>().prop_map(Move::Extend),
        2 => Just(Move::Acknowledge),
        1 => Just(Move::Revoke),
        1 => any::<bool>().prop_map(Move::NoSpace),
    ];
    proptest::collection::vec(one, 1..80)
}

fn play(world: &mut World, moves: &[Move]) {
    for (count, one) in moves.iter().enumerate() {
        let id = |index: u8| format!("c{count}_{index}");
        match one {
            Move::Say => world.say("go"),
            Move::Join => world.give(Input::Join("and".into())),
            Move::StopAnswer => world.give(Input::StopAnswer),
            Move::StopCommand => world.give(Input::StopCommand),
            Move::Text => world.answer(&[TEXT]),
            Move::Calls(many) => {
                let calls: Vec<String> =
                    (0..*many).map(|index| call(&id(index), &format!("{index}"))).collect();
                world.answer(&calls.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Move::SameId => world.answer(&[&call("same", "1"), &call("same", "1")]),
            Move::Fail => {
                world.asking = false;
                world.give(Input::ModelFailed(ModelError {
                    class: ErrorClass::Server,
                    sentence: "No.".into(),
                }))
            }
            Move::Verdict(0 | 1) => world.decide(Verdict::Run),
            Move::Verdict(2) => world.decide(Verdict::RunAlways),
            Move::Verdict(3) => world.decide(Verdict::DenyRest { feedback: None }),
            Move::Verdict(_) => world.decide(Verdict::Deny { feedback: Some("no".into()) }),
            Move::StaleDecision => {
                let operation = Operation::imported("bash", Some("0"), None, None).unwrap();
                let call = CallId::new("c0_0").unwrap();
                world.give(Input::Decide {
                    call,
                    fingerprint: operation.fingerprint(),
                    verdict: Verdict::Run,
                })
            }
            Move::Lay => world.lay(),
            Move::LayFails => {
                world.laid = None;
                world.give(Input::LayFailed("no room".into()))
            }
            Move::End(0) => world.end(Some((Ended::Exit, Some(0)))),
            Move::End(1) => world.end(Some((Ended::Exit, Some(3)))),
            Move::End(2) => world.end(Some((Ended::TimeLimit, None))),
            Move::End(3) => world.end(Some((Ended::Stopped, None))),
            Move::End(_) => world.end(Some((Ended::NotStarted, None))),
            Move::Lost => world.end(None),
            Move::Extend(allowed) => world.give(Input::Extend(*allowed)),
            Move::Acknowledge => {
                let gating = world.session.gating();
                let statements = gating.iter().map(|effect| Statement {
                    dispatch: effect.dispatch,
                    statement: StatementKind::MayHaveRun,
                    note: None,
                });
                let statements = statements.collect();
                world.give(Input::Acknowledge(statements))
            }
            Move::Revoke => world.give(Input::RevokeRules),
            Move::NoSpace(full) => {
                world.space_left = if *full { 1_000 } else { u64::MAX };
                &mut *world
            }
        };
    }
}

proptest! {
    /// The invariants are asserted in `World::carry_out`: no start without its
    /// durable record, none twice, no request without durable results.
    #[test]
    fn no_order_of_inputs_breaks_the_gates(moves in moves()) {
        let mut world = World::new(limits(4, 6));
        play(&mut world, &moves);
        let starts = world.session.turns().iter().flat_map(|turn| turn.calls()).filter(|call| call.start.is_some()).count();
        prop_assert_eq!(starts, world.started.len());
    }
}

#[test]
fn the_generated_orders_reach_everything() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut reached = BTreeSet::new();
    for _ in 0..400 {
        let moves = moves().new_tree(&mut runner).unwrap().current();
        let mut world = World::new(limits(4, 6));
        play(&mut world, &moves);
        reached.extend(world.outcomes().iter().map(|outcome| outcome.word().to_owned()));
        reached.extend(world.statuses().iter().map(|status| status.word().to_owned()));
        reached.extend(world.log());
    }
    for expected in [
        "completed",
        "failed",
        "timed_out",
        "cancelled",
        "unknown",
        "denied",
        "not_executed",
        "unconfirmed_effects",
        "turn_extended",
        "acknowledged",
        "AskExtension",
        "StopCommand",
        "Refuse Gated",
        "PutBack go",
    ] {
        assert!(reached.contains(expected), "never reached: {expected}");
    }
}
