//! Metadata + template text → source text. All target syntax lives in `templates/`.
//!
//! A target is a template, or a folder of them: `rust`, `wgsl`, `hlsl` and `glsl` are built in as `vat.rs`,
//! `vat.wgsl`, `vat.hlsl` and `vat.glsl`, `unity` as the files of a folder `unity`; a target `NAME` of a user's own is the template `vat.NAME`, or
//! `NAME` itself where it contains a dot, or else all templates of the folder `NAME`, but for those that begin with `_` and
//! are there to be included. A user's template of the same name comes before the built-in one, which
//! stays reachable as `vatpipe/vat.rs` and so on. The file that is made has the template's name.
//!
//! The text depends on the metadata and the templates alone. Nothing here reads or writes files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};

use crate::metadata::Character;
use crate::problem::{Place, Problem, Problems, Result};

mod context;
mod filters;
pub mod ident;
pub mod pieces;

/// A template of `templates/`.
macro_rules! template {
    ($target:literal, $name:literal) => {
        ($target, $name, include_str!(concat!("../../templates/", $name)))
    };
}

/// A template that is built in: target, file name, text.
pub type BuiltIn = (&'static str, &'static str, &'static str);

/// The templates that are built in.
pub const BUILT_IN: [BuiltIn; 18] = [
    template!("rust", "vat.rs"),
    template!("wgsl", "vat.wgsl"),
    template!("hlsl", "vat.hlsl"),
    template!("glsl", "vat.glsl"),
    template!("unity", "unity/Vat.hlsl"),
    template!("unity", "unity/VatGraph.hlsl"),
    template!("unity", "unity/VatBuiltIn.shader"),
    template!("unity", "unity/VatUrp.shader"),
    template!("unity", "unity/VatHdrp.shader"),
    template!("unity", "unity/VatCharacters.cs"),
    template!("unity", "unity/VatLayouts.cs"),
    template!("unity", "unity/VatCharacter.cs"),
    template!("unity", "unity/VatInstance.cs"),
    template!("unity", "unity/VatPlayer.cs"),
    template!("unity", "unity/VatCrowd.cs"),
    template!("unity", "unity/Editor/VatFiles.cs"),
    template!("unity", "unity/Editor/VatBake.cs"),
    template!("unity", "unity/Editor/VatImporter.cs"),
];

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The name of the file in the output folder; of a target with several files with its folder in front, parted by `/`.
    pub file_name: String,
    /// The whole text.
    pub text: String,
}

/// The file names of a target, which are those of its templates: the built-in ones and the user's, sorted where there
/// are several. Of a target without any template the one that it could have.
pub fn file_names<'t>(target: &str, templates: impl IntoIterator<Item = &'t String>) -> Vec<String> {
    let built_in = BUILT_IN.iter().filter(|(name, ..)| *name == target);
    let mut names: Vec<String> = built_in.map(|(_, file, _)| (*file).to_owned()).collect();
    let single = if target.contains('.') { target.to_owned() } else { format!("vat.{target}") };
    let (mut in_folder, mut is_single) = (Vec::new(), false);
    for name in templates {
        let inner = name.strip_prefix(target).and_then(|rest| rest.strip_prefix('/'));
        is_single |= *name == single;
        let only_included = name.rsplit('/').next().is_some_and(|file| file.starts_with('_'));
        if inner.is_some() && !only_included && !names.contains(name) {
            in_folder.push(name.clone());
        }
    }
    let has_folder = names.iter().any(|name| name.contains('/')) || names.is_empty() && !is_single;
    names.extend(in_folder.into_iter().filter(|_| has_folder));
    if names.is_empty() { vec![single] } else { names }
}

/// The files of each target, in the order of `targets`, for all characters together.
///
/// `templates` holds the user's templates by file name. Fails when a target has no template, when
/// a template is wrong, or when metadata would become wrong code.
pub fn generate(
    characters: &[Character],
    targets: &[String],
    templates: &BTreeMap<String, String>,
) -> Result<Vec<Generated>> {
    if pieces::are_possible(targets, templates) {
        return pieces::generate(characters, targets);
    }
    let characters = context::characters(characters)?;
    let environment = environment(templates).map_err(|error| problem(&error, templates))?;
    let files = targets.iter().flat_map(|target| {
        let names = file_names(target, templates.keys());
        names.into_iter().map(move |name| (target, name))
    });
    let files = files.map(|(target, file_name)| {
        let template = environment.get_template(&file_name).map_err(|error| match error.kind() {
            ErrorKind::TemplateNotFound => no_template(target, &file_name),
            _ => problem(&error, templates),
        })?;
        let context = context::Context { target, file: &file_name, characters: &characters };
        let text = template.render(Serde(&context)).map_err(|error| problem(&error, templates))?;
        Ok(Generated { file_name, text })
    });
    files.collect()
}

/// Whether each target has a template that can be read as one: what can be known of them without characters.
///
/// # Errors
/// All that is wrong: targets without a template (`codegen::target`), templates that are none (`codegen::template`).
pub fn check(targets: &[String], templates: &BTreeMap<String, String>) -> Result<(), Problems> {
    let environment = environment(templates).map_err(|error| problem(&error, templates))?;
    let wrong = |target: &String, file_name: &String| {
        environment.get_template(file_name).err().map(|error| match error.kind() {
            ErrorKind::TemplateNotFound => no_template(target, file_name),
            _ => problem(&error, templates),
        })
    };
    let of_target = |target: &String| {
        let names = file_names(target, templates.keys());
        names.iter().filter_map(|name| wrong(target, name)).collect::<Vec<_>>()
    };
    let problems: Vec<Problem> = targets.iter().flat_map(of_target).collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

/// Templates are read when they are asked for: the folder may hold other things, a note for
/// instance, and those need not be templates.
fn environment(templates: &BTreeMap<String, String>) -> std::result::Result<Environment<'static>, Error> {
    let texts = templates.clone();
    let built_in = |name: &str| {
        let name = name.strip_prefix("vatpipe/").unwrap_or(name);
        BUILT_IN.iter().find(|(_, built_in, _)| *built_in == name).map(|(.., text)| (*text).to_owned())
    };
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    let mut environment = Environment::new();
    environment.set_syntax(syntax.build()?);
    environment.set_loader(move |name| Ok(texts.get(name).cloned().or_else(|| built_in(name))));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_debug(true);
    filters::add(&mut environment);
    Ok(environment)
}

fn no_template(target: &str, file_name: &str) -> Problem {
    let help = format!(
        "use one of {}, or put a template named \"{file_name}\", or a folder of templates named \"{target}\", into the folder of `[output] templates`",
        crate::manifest::TARGETS.join(", ")
    );
    Problem::error("codegen::target", format!("target \"{target}\" has no template")).help(help)
}

/// The problem of a template, at the line that it names.
fn problem(error: &Error, templates: &BTreeMap<String, String>) -> Problem {
    // An error inside an included template or a macro has its cause below the outer ones.
    let mut innermost = error;
    while let Some(inner) = std::error::Error::source(innermost).and_then(|e| e.downcast_ref::<Error>()) {
        innermost = inner;
    }
    let name = innermost.name().unwrap_or("template");
    let line = innermost.line().unwrap_or(1);
    let what = match innermost.detail() {
        Some(detail) => format!("{}: {detail}", innermost.kind()),
        None => innermost.kind().to_string(),
    };
    let message = format!("template \"{name}\", line {line}: {what}");
    let place = match templates.get(name) {
        Some(text) => {
            let span = innermost.range().unwrap_or_else(|| line_span(text, line));
            Place::Text { file: PathBuf::from(name), text: text.as_str().into(), span }
        }
        None => Place::Nowhere,
    };
    Problem::error("codegen::template", message)
        .at(place)
        .help("docs/shaders.md lists the variables and filters of templates")
}

/// The byte range of a line, counted from 1.
fn line_span(text: &str, line: usize) -> std::ops::Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    start..end
}
