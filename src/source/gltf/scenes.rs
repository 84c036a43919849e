//! Which scene is the character.

use super::json::Element;
use super::nodes::FileNode;
use super::report::Report;
use crate::manifest::Selector;
use crate::problem::{Problem, Result};

/// The nodes that the chosen scene lists: indices in the file. The file's default scene if none is
/// asked for, else its first, else (it has none at all) every root.
pub fn choose(
    root: &Element,
    nodes: &[FileNode],
    asked: Option<&Selector>,
    report: &mut Report,
) -> Result<Vec<usize>> {
    let scenes: Vec<_> = root.items("scenes")?.collect();
    let chosen = match asked {
        Some(selector) => Some(find(root, &scenes, selector)?),
        None => root.index("scene", "scenes", scenes.len())?,
    };
    if chosen.is_none() && scenes.len() > 1 {
        let message = format!(
            "the file has {} scenes and says of none that it is the default; the first is used",
            scenes.len()
        );
        report.push(Problem::note("source::scene", message).help("choose one with `scene`"));
    }
    let Some(scene) = scenes.get(chosen.unwrap_or(0)) else {
        return Ok((0..nodes.len()).filter(|&i| nodes[i].parent.is_none()).collect());
    };
    scene.items("nodes")?.map(|node| node.as_index("nodes", nodes.len())).collect()
}

fn find(root: &Element, scenes: &[Element], selector: &Selector) -> Result<usize> {
    let named =
        |name: &String| -> Vec<usize> { (0..scenes.len()).filter(|&i| scenes[i].name() == *name).collect() };
    let message = match selector {
        Selector::Index(i) if *i < scenes.len() => return Ok(*i),
        Selector::Index(i) => format!("there is no scene {i}"),
        Selector::Name(name) => match named(name)[..] {
            [one] => return Ok(one),
            [] => format!("there is no scene `{name}`"),
            _ => format!("{} scenes are called `{name}`", named(name).len()),
        },
    };
    let shown = |(index, scene): (usize, &Element)| match scene.name() {
        name if name.is_empty() => format!("{index} (unnamed)"),
        name => format!("{index} `{name}`"),
    };
    let list: Vec<_> = scenes.iter().enumerate().map(shown).collect();
    let have = match &list[..] {
        [] => "the file has no scenes: leave `scene` out".to_owned(),
        [one] => format!("the file has 1 scene: {one}"),
        list => format!("the file has {} scenes: {}", list.len(), list.join(", ")),
    };
    Err(root.error("source::scene", message).help(have))
}
