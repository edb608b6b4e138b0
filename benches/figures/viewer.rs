//! The viewer over the largest output that is kept.

use super::Bench;
use super::homes::Home;
use super::process;
use super::report::Report;
use super::server::{Answer, Server};
use super::stats::millis;
use super::terminal::Terminal;
use std::time::{Duration, Instant};

const CTRL_O: &str = "\u{f}";
/// Stands once, in the last line.
const LAST: &str = "quetzalcoatlus";

pub(crate) fn viewer(bench: &Bench, report: &mut Report) {
    let home = Home::empty();
    // 5 million lines of 13 bytes: just below the 64 MiB that are kept.
    let command = format!("seq -f 'word %07.0f' 4999999; echo {LAST}");
    let server = Server::start(vec![Answer::Run(command), Answer::Text("done".into())]);
    let arguments = ["--base-url", &server.base_url, "--model", "bench"];
    let mut terminal = Terminal::start(&bench.candor, &arguments, &home.path(), &home.work());
    terminal.say("run");
    terminal.approve();
    terminal.shows("  ready");
    let spool = spool(&home);
    let before = process::resident(terminal.pid());
    let (mut opened, mut searched, mut least) = (Vec::new(), Vec::new(), Vec::new());
    let finder = memchr::memmem::Finder::new(LAST);
    for _ in 0..bench.rounds(7) {
        terminal.forget();
        let pressed = terminal.send(CTRL_O);
        opened.push(millis(terminal.wait_for("word ") - pressed));
        terminal.shows("close");
        terminal.send("g");
        terminal.shows("word 0000001");
        terminal.send("/");
        std::thread::sleep(Duration::from_millis(200));
        terminal.send(LAST);
        terminal.shows(LAST);
        std::thread::sleep(Duration::from_millis(200));
        terminal.forget();
        let pressed = terminal.send("\r");
        searched.push(millis(terminal.wait_for(LAST) - pressed));
        let begun = Instant::now();
        assert!(finder.find(&spool).is_some());
        least.push(millis(begun.elapsed()));
        terminal.send("q");
        terminal.shows("Enter s");
    }
    report.time("viewer: an output of 64 MiB opened", &opened, 100.0);
    report.ratio("viewer: 64 MiB searched", &searched, &least, 2.0);
    let beyond = process::resident(terminal.pid()) - before;
    report.amount("viewer: memory for 5 million lines", beyond, "MB", 8.0);
}

/// The only output of this home.
fn spool(home: &Home) -> Vec<u8> {
    let journal = home.journals().remove(0);
    let mut calls = std::fs::read_dir(journal.parent().unwrap().join("calls")).unwrap();
    std::fs::read(calls.next().unwrap().unwrap().path().join("output")).unwrap()
}
