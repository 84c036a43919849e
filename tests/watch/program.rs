//! The program: objects, commands, signals.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use super::{LONG, Project, model};

struct Program {
    child: Child,
    lines: Receiver<Value>,
}

impl Program {
    fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
        command.args(["watch", "--message-format", "json"]).args(arguments);
        command.current_dir(project.path("")).env_remove("VATPIPE_CACHE_DIR");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
            }
        });
        Self { child, lines }
    }

    fn until(&self, reason: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LONG).unwrap_or_else(|_| panic!("no {reason} after {all:?}"));
            let done = line["reason"] == reason;
            all.push(line);
            if done {
                return all;
            }
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// The exit code, and what is on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut text).unwrap();
        (self.child.wait().unwrap().code(), text)
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_leaves_nothing() {
    let project = Project::new();
    for signal in ["-INT", "-TERM"] {
        let program = Program::start(&project, &[]);
        let lines = program.until("watch-waiting");
        let last = lines.last().unwrap();
        assert_eq!((&last["files"], &last["polling"]), (&3.into(), &Value::Null));
        program.signal(signal);
        program.until("watch-ended");
        assert_eq!(program.end(), (Some(0), String::new()));
        assert_eq!(project.leftovers(), [std::path::PathBuf::new(); 0]);
    }
    // While it bakes.
    project.put("art/a.glb", &model(200, 1.0).glb());
    let program = Program::start(&project, &[]);
    program.until("clip-baked");
    program.signal("-INT");
    program.until("watch-ended");
    assert_eq!(program.end(), (Some(0), String::new()));
    assert_eq!(project.leftovers(), [std::path::PathBuf::new(); 0]);
}

/// Another build while it waits finds no lock.
#[cfg(unix)]
#[test]
fn nothing_is_locked_while_it_waits() {
    let project = Project::new();
    let program = Program::start(&project, &[]);
    program.until("watch-waiting");
    project.put("art/a.glb", &model(2, 3.0).glb());
    let build = Command::new(env!("CARGO_BIN_EXE_vatpipe"))
        .args(["build", "--message-format", "json", "--manifest"])
        .arg(project.path("vat.toml"))
        .env_remove("VATPIPE_CACHE_DIR")
        .output()
        .unwrap();
    assert!(build.status.success());
    program.until("watch-changed");
    program.until("watch-waiting");
    program.signal("-INT");
    assert_eq!(program.end().0, Some(0));
}

#[cfg(unix)]
#[test]
fn a_command_follows_each_change() {
    let project = Project::new();
    let script = "printf '%s|%s|%s|%s\\n' \"$VATPIPE_CHARACTERS\" \"$VATPIPE_FILES\" \"$VATPIPE_OUT\" \"$VATPIPE_MANIFEST\" > ran; echo said";
    let program = Program::start(&project, &["--exec", script]);
    let first = program.until("watch-exec");
    let last = first.last().unwrap();
    assert_eq!((&last["success"], &last["code"]), (&true.into(), &0.into()));
    let ran = std::fs::read_to_string(project.path("ran")).unwrap();
    assert!(ran.starts_with("a\nb|") && ran.contains("a_0_VAT.ktx2") && ran.contains("vat.rs"), "{ran}");
    assert!(
        ran.ends_with(&format!("out|{}\n", project.path("vat.toml").canonicalize().unwrap().display())),
        "{ran}"
    );
    project.put("art/b.glb", &model(2, 3.0).glb());
    let round = program.until("watch-exec");
    let published = round.iter().find(|line| line["reason"] == "watch-published").unwrap();
    assert_eq!(published["characters"], serde_json::json!(["b"]));
    assert!(std::fs::read_to_string(project.path("ran")).unwrap().starts_with("b|"));
    program.signal("-INT");
    program.until("watch-ended");
    // The command's own words are not among the objects.
    assert_eq!(program.end(), (Some(0), "said\nsaid\n".to_owned()));
}

/// A second signal does not wait for anything.
#[cfg(unix)]
#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    let project = Project::new();
    let program =
        Program::start(&project, &["--exec", "echo $$ > pid.new; mv pid.new pid; exec sleep 600 2>&-"]);
    program.until("watch-waiting");
    let pid = loop {
        // The command has begun once it says so.
        match std::fs::read_to_string(project.path("pid")) {
            Ok(pid) => break pid.trim().to_owned(),
            Err(_) => std::thread::yield_now(),
        }
    };
    let mut program = program;
    // Signals that come at once may count as one.
    let status = loop {
        program.signal("-INT");
        if let Some(status) = program.child.try_wait().unwrap() {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
}

#[test]
fn without_a_manifest_there_is_nothing_to_watch() {
    let project = Project::empty();
    let program = Program::start(&project, &["--manifest", "none.toml"]);
    assert_eq!(program.until("error").last().unwrap()["code"], "files::unreadable");
    assert_eq!(program.end().0, Some(2));
}
