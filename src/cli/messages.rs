//! Events as JSON, one object a line; `docs/cli.md` is their description.

use serde_json::{Value, json};

use super::render;
use super::terminal::Terminal;
use crate::run::{Event, Outcome};

/// Prints events as they come. Lines do not mix: standard output is locked for each.
pub fn printer(terminal: &Terminal) -> impl Fn(Event) + Sync {
    let terminal = *terminal;
    move |event| {
        let lines: Vec<String> = messages(&event).iter().map(|message| format!("{message}\n")).collect();
        terminal.out(&lines.concat());
    }
}

/// An event as objects.
pub(super) fn messages(event: &Event) -> Vec<Value> {
    match event {
        Event::Started { characters } => vec![json!({ "reason": "build-started", "characters": characters })],
        Event::ClipBaked { character, clip, seconds, reasons } => {
            let reason = "clip-baked";
            vec![
                json!({ "reason": reason, "character": character, "clip": clip, "seconds": seconds, "because": reasons }),
            ]
        }
        Event::ClipFailed { character, clip, problem } => {
            let reason = "clip-failed";
            vec![
                json!({ "reason": reason, "character": character, "clip": clip, "code": problem.code, "message": problem.message }),
            ]
        }
        Event::ClipFresh { character, clip } => {
            vec![json!({ "reason": "clip-fresh", "character": character, "clip": clip })]
        }
        Event::CharacterFresh { name, clips } => {
            vec![json!({ "reason": "character-fresh", "character": name, "clips": clips })]
        }
        Event::Waiting { holder } => vec![json!({ "reason": "waiting", "holder": holder })],
        Event::CharacterPublished { character, files, seconds } => {
            let file = |(path, bytes): &(std::path::PathBuf, u64)| json!({ "path": path, "bytes": bytes });
            let files: Vec<Value> = files.iter().map(file).collect();
            let reason = "character-published";
            vec![json!({ "reason": reason, "character": character, "files": files, "seconds": seconds })]
        }
        Event::CharacterFailed { name, problems } => {
            let mut messages: Vec<Value> = problems.0.iter().map(render::json).collect();
            for message in &mut messages {
                message["character"] = json!(name);
            }
            messages.push(json!({ "reason": "character-failed", "character": name }));
            messages
        }
        Event::CharacterAbandoned { name } => {
            vec![json!({ "reason": "character-abandoned", "character": name })]
        }
        Event::Problem(problem) => vec![render::json(problem)],
        Event::Constants { path, bytes } => {
            vec![json!({ "reason": "constants-written", "path": path, "bytes": bytes })]
        }
        Event::Finished(outcome) => vec![finished(outcome)],
    }
}

fn finished(outcome: &Outcome) -> Value {
    json!({
        "reason": "build-finished",
        "success": outcome.failed == 0,
        "characters": outcome.characters,
        "baked": outcome.baked,
        "fresh": outcome.fresh,
        "failed": outcome.failed,
        "abandoned": outcome.abandoned,
        "constants_failed": outcome.constants_failed,
        "bytes": outcome.bytes,
        "seconds": outcome.seconds,
        "inputs": outcome.inputs,
    })
}
