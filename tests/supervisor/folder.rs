//! What is laid down, and what a reader believes of what it finds.

use crate::scene::{PATIENCE, Run, Scene, make_fifo};
use candor::record::{DispatchId, Ended, limits};
use candor::tools::{Follower, Laid, lay, read, read_all};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use uuid::Uuid;

fn ended(scene: &Scene, command: &str) -> Run {
    let mut run = scene.start(command, PATIENCE);
    run.end().assert_exit(0);
    run.wait_for_the_lock();
    run
}

#[test]
fn the_evidence_is_private_and_whole_before_the_start() {
    let scene = Scene::new();
    let (laid, order) = scene.lay(&scene.prepare("true", PATIENCE));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(laid.dir()), 0o700);
    for name in ["order.json", "lock", "receipt.tmp"] {
        assert_eq!(mode(&laid.dir().join(name)), 0o600, "{name}");
    }
    assert_eq!(fs::read(laid.dir().join("receipt.tmp")).unwrap().len(), limits::RECEIPT_BYTES);
    let text = fs::read_to_string(laid.dir().join("order.json")).unwrap();
    let operation = order.operation.as_json();
    assert!(text.ends_with(&format!(r#""fingerprint":"{}","operation":{operation}}}"#, order.fingerprint)));
}

#[test]
fn a_folder_is_laid_once() {
    let scene = Scene::new();
    let (laid, order) = scene.lay(&scene.prepare("true", PATIENCE));
    assert!(lay(&scene.calls(), &order).is_err());
    assert!(read(laid.dir()).unwrap().order.is_some(), "the first one was taken away");
    assert!(lay(&scene.calls().join("gone"), &order).is_err());
}

#[test]
fn nothing_is_known_of_what_is_not_there() {
    let scene = Scene::new();
    assert!(read(&scene.calls().join(DispatchId::from_uuid(Uuid::now_v7()).to_string())).is_none());
    assert!(read(&scene.calls()).is_none(), "not named after a dispatch");
    assert!(read_all(&scene.calls().join("gone")).is_err());
    fs::create_dir(scene.calls().join("notes")).unwrap();
    assert!(read_all(&scene.calls()).unwrap().is_empty());
    assert!(Follower::new(&scene.calls()).is_err());
}

#[test]
fn a_receipt_fits_only_the_output_that_is_there() {
    let scene = Scene::new();
    let run = ended(&scene, "echo hi");
    assert!(run.facts().receipt.is_some());
    for other in ["hi", "hi\n\n", "ho\n", ""] {
        fs::write(run.dir.join("output"), other).unwrap();
        let found = run.facts();
        assert!(found.receipt.is_none() && found.launched, "{other:?}");
        assert_eq!(found.output.excerpt.text, other);
        assert_eq!(found.output.spool_bytes, other.len() as u64);
    }
    fs::write(run.dir.join("output"), "hi\n").unwrap();
    assert!(run.facts().receipt.is_some());
    fs::remove_file(run.dir.join("output")).unwrap();
    assert!(run.facts().receipt.is_none());
}

#[test]
fn a_receipt_that_is_not_exactly_one_is_none() {
    let scene = Scene::new();
    let run = ended(&scene, "echo hi");
    let good = fs::read_to_string(run.dir.join("receipt.json")).unwrap();
    let other = DispatchId::from_uuid(Uuid::now_v7()).to_string();
    let fingerprint = run.facts().order.unwrap().fingerprint.to_string();
    for bad in [
        good.replace(r#""v":1"#, r#""v":2"#),
        good.replace(&run.dispatch.to_string(), &other),
        good.replace(&fingerprint, &fingerprint.chars().rev().collect::<String>()),
        good.replace(r#""exit_code":0"#, r#""exit_code":0,"signal":9"#),
        good.replace(r#""exit_code":0,"#, ""),
        good.replace(r#""ended":"exit""#, r#""ended":"not_started""#),
        good.replace(r#""output_bytes":3"#, r#""output_bytes":2"#),
        good.replace('}', r#","more":1}"#),
        good[..good.len() - 1].to_owned(),
        format!("{good}{}", " ".repeat(limits::RECEIPT_BYTES)),
        String::new(),
    ] {
        assert_ne!(bad, good);
        fs::write(run.dir.join("receipt.json"), &bad).unwrap();
        assert!(run.facts().receipt.is_none(), "{bad}");
    }
    fs::write(run.dir.join("receipt.json"), &good).unwrap();
    assert_eq!(run.facts().receipt.unwrap().ended, Ended::Exit);
}

#[test]
fn links_and_pipes_in_the_place_of_evidence_are_not_followed() {
    let scene = Scene::new();
    let run = ended(&scene, "echo hi");
    for name in ["output", "receipt.json", "order.json"] {
        let (path, aside) = (run.dir.join(name), scene.work().join(name));
        fs::rename(&path, &aside).unwrap();
        symlink(&aside, &path).unwrap();
        let found = run.facts();
        assert_eq!(found.receipt.is_some(), name == "order.json", "{name}");
        assert_eq!(found.order.is_some(), name != "order.json", "{name}");
        fs::remove_file(&path).unwrap();
        make_fifo(&path);
        assert_eq!(run.facts().receipt.is_some(), name == "order.json", "{name}");
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
    }
    let linked = scene.work().join(run.dispatch.to_string());
    symlink(&run.dir, &linked).unwrap();
    assert!(read(&linked).is_none());
    assert!(run.facts().receipt.is_some());
}

#[test]
fn a_launch_counts_whatever_it_is() {
    let scene = Scene::new();
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    let look = |laid: &Laid| read(laid.dir()).unwrap();
    assert!(!look(&laid).launched);
    symlink("/nowhere", laid.dir().join("launch.json")).unwrap();
    assert!(look(&laid).launched);
}

#[test]
fn a_lock_that_cannot_be_looked_at_counts_as_a_launch() {
    let scene = Scene::new();
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    fs::remove_file(laid.dir().join("lock")).unwrap();
    let found = read(laid.dir()).unwrap();
    assert!(!found.lock_held && !found.launched && !laid.dir().join("lock").exists());
    symlink("/nowhere", laid.dir().join("lock")).unwrap();
    let found = read(laid.dir()).unwrap();
    assert!(!found.lock_held && found.launched);
}

#[test]
fn a_folder_that_cannot_be_opened_counts_as_a_launch() {
    let scene = Scene::new();
    let (laid, order) = scene.lay(&scene.prepare("true", PATIENCE));
    let mode = |mode| fs::set_permissions(laid.dir(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0);
    if fs::read_dir(laid.dir()).is_ok() {
        println!("skipped: this user may open everything");
    } else {
        let found = &read_all(&scene.calls()).unwrap()[0];
        assert!(found.dispatch == order.dispatch && found.launched && found.order.is_none());
    }
    mode(0o700);
}

#[test]
fn an_order_that_is_another_is_none() {
    let scene = Scene::new();
    let (laid, order) = scene.lay(&scene.prepare("echo a", PATIENCE));
    let text = fs::read_to_string(laid.dir().join("order.json")).unwrap();
    for bad in [
        text.replace("echo a", "echo b"),
        text.replace(r#""v":1"#, r#""v":2"#),
        text.replace(&order.dispatch.to_string(), &DispatchId::from_uuid(Uuid::now_v7()).to_string()),
        text.replace('{', "["),
    ] {
        fs::write(laid.dir().join("order.json"), &bad).unwrap();
        assert!(read(laid.dir()).unwrap().order.is_none(), "{bad}");
    }
}

#[test]
fn the_excerpt_is_bounded() {
    let scene = Scene::new();
    let run = ended(&scene, "for i in {1..3000}; do echo \"line $i of quite a few, with é\"; done");
    let found = run.facts();
    assert!(found.output.excerpt.truncated && !found.output.excerpt.text.contains('\u{fffd}'));
    assert!(
        found.output.excerpt.text.starts_with("line 1 of") && found.output.excerpt.text.contains("line 3000")
    );
    assert!(found.output.excerpt.text.len() < limits::OUTPUT_BYTES + 100);
    assert!(found.output.modified_at.is_some());
}
