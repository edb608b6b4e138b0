//! What one command costs beyond itself.

use super::Bench;
use super::homes::Home;
use super::process;
use super::report::Report;
use super::server::{Answer, Server};
use super::terminal::Terminal;
use std::time::{Duration, Instant, UNIX_EPOCH};

fn begin(bench: &Bench, home: &Home, server: &Server) -> Terminal {
    let arguments = ["--base-url", &server.base_url, "--model", "bench"];
    Terminal::start(&bench.candor, &arguments, &home.path(), &home.work())
}

/// Runs a command again and again; the supervisor is watched until it is gone.
pub(crate) fn supervisor(bench: &Bench, report: &mut Report) {
    let home = Home::empty();
    let (mut memory, mut without_files) = (Vec::new(), Vec::new());
    let (mut agent, mut both) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds(10) {
        let server = Server::start(vec![Answer::Run("sleep 0.3".into()), Answer::Text("done".into())]);
        let mut terminal = begin(bench, &home, &server);
        terminal.say("run");
        terminal.shows(" Ready");
        terminal.send("y");
        terminal.shows("Enter does it");
        let before = process::cpu(terminal.pid());
        terminal.enter();
        let pid = found(|| process::supervisor(&home.path()));
        let (mut spent, mut resident) = (0.0_f64, 0.0_f64);
        let mut apart = 0.0_f64;
        while process::lives(pid) {
            spent = spent.max(process::cpu(pid));
            resident = resident.max(process::resident(pid));
            apart = apart.max(process::own(pid));
            std::thread::sleep(Duration::from_micros(500));
        }
        terminal.shows("  ready");
        let own = process::cpu(terminal.pid()) - before;
        memory.push(resident);
        without_files.push(apart);
        agent.push(own);
        both.push(own + spent);
    }
    report.amount("supervisor: resident memory", super::stats::quantile(&memory, 1.0), "MB", 4.0);
    let most = super::stats::quantile(&without_files, 1.0);
    report.note("of it, what is no file's", &format!("{most:.1} MB"), "");
    report.time("processor time of Candor and supervisor for one command", &both, 15.0);
    report.note("of it, Candor with drawing and two requests", &super::stats::spread(&agent), "");
}

fn found<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "never found");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The command writes down when it ends; the server, when it is asked again.
pub(crate) fn end_to_wire(bench: &Bench, report: &mut Report) {
    let rounds = bench.rounds(10);
    let home = Home::empty();
    let command = "seq 50000; printf %s \"$EPOCHREALTIME\" > ended".to_owned();
    let turn = [Answer::Run(command), Answer::Text("done".into())];
    let server = Server::start(vec![turn; rounds].concat());
    let mut terminal = begin(bench, &home, &server);
    let mut times = Vec::new();
    for round in 0..rounds {
        terminal.say(&format!("run it, number {round}."));
        terminal.approve();
        let asked = server.asked(2 * round + 1).duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        let ended: f64 = std::fs::read_to_string(home.work().join("ended")).unwrap().parse().unwrap();
        times.push((asked - ended) * 1e3);
        terminal.shows("  ready");
    }
    report.time("end of a command of 50,000 lines to the next request on the wire", &times, 10.0);
}
