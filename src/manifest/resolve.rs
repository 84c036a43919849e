//! Tables → recipes: settings of a clip, over those of its character, over the defaults.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::importer;
use super::keys::{KEYS, Key, Section};
use super::read::{Named, Reader, Table};
use super::suggest::{listed, nearest};
use super::values::Value;
use super::{
    Budget, Cache, ClipRecipe, ClipSettings, ColumnOrder, FormatChoice, LodRecipe, Manifest, MeshSettings,
    Normals, Output, Rate, Recipe, Selector, TARGETS, lods, names,
};
use crate::axes::Axes;
use crate::cache::digest::Digest;
use crate::encode::platforms::{self, Platform};
use crate::encode::{self, Format, Quality};
use crate::problem::{Place, Problem, Problems};

/// Text → manifest. `over` takes the place of what the text says.
pub fn manifest(text: &str, file: &Path, over: &Table) -> Result<Manifest, Problems> {
    let mut reader = Reader::new(text, file);
    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let (root, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        for error in syntax {
            let span = error.span().unwrap_or(0..0);
            reader.fault(Problem::error("manifest::syntax", error.message()), span);
        }
        return Err(Problems(reader.into_problems()));
    }
    let root = root.get_ref();
    reader.table(root, Section::Root);
    let built_in = Table::built_in();
    let output = output(&mut reader, subtable(root, "output"), &folder, &built_in);
    let cache = cache(&mut reader, subtable(root, "cache"), &folder, &built_in);
    let defaults = subtable(root, "defaults").map(|table| reader.table(table, Section::Defaults));
    let outer = Layers { tables: vec![&built_in], over }.under(defaults.as_ref());
    check_format(&mut reader, over, &output.platforms);
    if let Some(defaults) = &defaults {
        check_format(&mut reader, defaults, &output.platforms);
    }
    let level = |reader: &mut Reader, table: &Table| level(reader, table, &outer, &output.platforms);
    let lods = lods::read(&mut reader, subtable(root, "defaults"), &level).unwrap_or_default();
    let recipes = characters(&mut reader, root, &outer, &folder, &output, &lods);
    match reader.into_problems() {
        problems if problems.is_empty() => {
            let (file, digest) = (file.to_path_buf(), Digest::of(text.as_bytes()));
            let warnings = importer::warnings(&output, &recipes);
            Ok(Manifest { folder, file, digest, output, cache, recipes, warnings, overridden: false })
        }
        problems => Err(Problems(problems)),
    }
}

fn subtable<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    table.get(name)?.get_ref().as_table()
}

/// Tables from the outermost, the built-in defaults, to the innermost; the innermost value counts.
struct Layers<'t> {
    tables: Vec<&'t Table>,
    /// Counts before all of them.
    over: &'t Table,
}

impl<'t> Layers<'t> {
    /// The same with one more table inside.
    fn under(&self, table: Option<&'t Table>) -> Layers<'t> {
        Layers { tables: self.tables.iter().copied().chain(table).collect(), over: self.over }
    }

    fn innermost_first(&self) -> impl Iterator<Item = &'t Table> {
        std::iter::once(self.over).chain(self.tables.iter().rev().copied())
    }

    fn get(&self, key: &str) -> Option<&'t Value> {
        self.innermost_first().find_map(|table| table.get(key))
    }

    fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Value::Flag(true)))
    }

    fn mesh(&self) -> MeshSettings {
        MeshSettings {
            normals: match self.get("normals") {
                Some(Value::Word("packed")) => Some(Normals::Packed),
                Some(Value::Word("sheet")) => Some(Normals::Sheet),
                Some(Value::Word("none")) => Some(Normals::None),
                _ => None,
            },
            tangents: self.flag("tangents"),
            share_columns: self.flag("share_columns"),
            column_order: match self.get("column_order") {
                Some(Value::Word("authored")) => ColumnOrder::Authored,
                _ => ColumnOrder::Motion,
            },
            max_texture: match self.get("max_texture") {
                Some(Value::Integer(texels)) => *texels,
                _ => 0,
            },
            zstd: match self.get("zstd") {
                Some(Value::Level(level)) => level.map(|level| level as i32),
                _ => None,
            },
            axes: self.axes("axes").unwrap_or_default(),
            mesh_axes: self.axes("mesh_axes").or(self.axes("axes")).unwrap_or_default(),
            allow_outside: self.flag("allow_outside"),
        }
    }

    fn axes(&self, key: &str) -> Option<Axes> {
        match self.get(key) {
            Some(Value::Word(word)) => Axes::from_name(word),
            _ => None,
        }
    }

    fn clip(&self) -> ClipSettings {
        let range = match self.get("range") {
            Some(Value::Times(start, end)) => Some((*start, *end)),
            _ => None,
        };
        ClipSettings {
            fps: match (self.get("fps"), self.get("max_fps")) {
                (Some(Value::AutoRate(Some(fps))), _) => Rate::Fixed(*fps),
                (_, Some(Value::Rate(cap))) => Rate::Auto { cap: *cap },
                _ => Rate::Fixed(0.0),
            },
            looping: self.flag("loop"),
            // The first layer is the built-in defaults.
            loop_said: self
                .innermost_first()
                .take(self.tables.len())
                .any(|table| table.get("loop").is_some()),
            trim: self.flag("trim") && range.is_none(),
            range,
            format: match self.get("format") {
                Some(Value::Format(format)) => *format,
                _ => FormatChoice::Fixed(Format::Rgba16ui),
            },
            quality: match self.get("quality") {
                Some(Value::Word(word)) => Quality::from_name(word).unwrap_or_default(),
                _ => Quality::default(),
            },
            residual: self.flag("residual"),
            relative: match self.get("relative") {
                Some(Value::AutoFlag(relative)) => *relative,
                _ => None,
            },
            budget: self.budget(),
        }
    }

    fn budget(&self) -> Budget {
        Budget {
            max_error: match self.get("max_error") {
                Some(Value::Length(length)) => *length,
                _ => None,
            },
            max_normal_error: match self.get("max_normal_error") {
                Some(Value::Rate(degrees)) if *degrees < 180.0 => Some(*degrees),
                _ => None,
            },
        }
    }

    /// The first key that is `"auto"` while no budget says what is to be kept, and where.
    fn without_budget(&self) -> Option<(&'static str, Range<usize>)> {
        if self.budget().max_error.is_some() {
            return None;
        }
        let auto = [("format", Value::Format(FormatChoice::Auto)), ("fps", Value::AutoRate(None))];
        auto.into_iter().find_map(|(key, auto)| {
            let table = self.innermost_first().find(|table| table.get(key).is_some())?;
            (table.get(key) == Some(&auto)).then(|| table.span(key).map(|span| (key, span)))?
        })
    }
}

fn path_of(table: Option<&Table>, key: &str, folder: &Path) -> Option<PathBuf> {
    match table?.get(key)? {
        Value::Path(path) => Some(folder.join(path)),
        _ => None,
    }
}

fn selector_of(table: &Table, key: &str) -> Option<Selector> {
    match table.get(key)? {
        Value::Selector(selector) => Some(selector.clone()),
        _ => None,
    }
}

fn output(reader: &mut Reader, toml: Option<&DeTable>, folder: &Path, built_in: &Table) -> Output {
    let table = toml.map(|toml| reader.table(toml, Section::Output)).unwrap_or_default();
    let templates = path_of(Some(&table), "templates", folder);
    let given = table.get("targets").or_else(|| built_in.get("targets"));
    let targets = match given {
        Some(Value::Targets(targets)) => targets.clone(),
        _ => Vec::new(),
    };
    // A table with a wrong `templates` has had its message.
    let has_templates = toml.is_some_and(|toml| toml.contains_key("templates"));
    for (name, span) in &targets {
        if !has_templates && !TARGETS.contains(&name.as_str()) {
            reader.fault(unknown_target(name), span.clone());
        }
    }
    let platforms = match table.get("platforms") {
        Some(Value::Words(names)) => names.iter().filter_map(|name| Platform::from_name(name)).collect(),
        _ => Vec::new(),
    };
    let place = table.span("templates").or_else(|| table.span("targets"));
    let dir = path_of(Some(&table), "dir", folder).or_else(|| path_of(Some(built_in), "dir", folder));
    Output {
        dir: dir.unwrap_or_default(),
        targets: targets.into_iter().map(|(name, _)| name).collect(),
        platforms,
        templates,
        place: place.map_or(Place::Nowhere, |span| reader.place(span)),
    }
}

fn cache(reader: &mut Reader, toml: Option<&DeTable>, folder: &Path, built_in: &Table) -> Cache {
    let table = toml.map(|toml| reader.table(toml, Section::Cache)).unwrap_or_default();
    let amount = |key: &str| match table.get(key).or_else(|| built_in.get(key)) {
        Some(Value::Size(amount) | Value::Age(amount)) => *amount,
        _ => 0,
    };
    Cache {
        dir: path_of(Some(&table), "dir", folder),
        max_size: amount("max_size"),
        max_age: amount("max_age"),
    }
}

fn unknown_target(name: &str) -> Problem {
    let exist = format!(
        "built in are {}; others need a template in the folder that `[output] templates` names",
        listed(TARGETS)
    );
    let problem = Problem::error("manifest::value", format!("there is no target {name:?}"));
    match nearest(name, TARGETS) {
        Some(near) => problem.help(format!("did you mean `\"{near}\"`? Otherwise: {exist}")),
        None => problem.help(exist),
    }
}

fn key(name: &str) -> &'static Key {
    KEYS.iter().find(|key| key.name == name).unwrap_or(&KEYS[0])
}

fn characters(
    reader: &mut Reader,
    root: &DeTable,
    outer: &Layers,
    folder: &Path,
    output: &Output,
    lods: &[LodRecipe],
) -> Vec<Recipe> {
    let named = reader.named(root, key("characters"));
    let none = match root.get("characters") {
        Some(toml) => toml.get_ref().as_table().is_some_and(|tables| tables.is_empty()),
        None => true,
    };
    if none {
        let problem = Problem::error("manifest::missing", "the manifest has no characters")
            .help("add a table such as `[characters.crab]` with `source = \"art/crab.glb\"`");
        let span = root.get_key_value("characters").map_or(0..0, |(key, _)| key.span());
        reader.fault(problem, span);
    }
    let mut earlier = Earlier::default();
    for character in &named {
        check_character_name(reader, character, &earlier);
        earlier.add(character.name);
        check_beside_targets(reader, character, &output.targets);
    }
    named.iter().map(|character| recipe(reader, character, outer, folder, &output.platforms, lods)).collect()
}

/// The names so far, by what they must not share with another. The first of each counts.
#[derive(Default)]
struct Earlier<'t> {
    lower: BTreeMap<String, &'t str>,
    folded: BTreeMap<String, &'t str>,
}

impl<'t> Earlier<'t> {
    fn add(&mut self, name: &'t str) {
        self.lower.entry(name.to_lowercase()).or_insert(name);
        self.folded.entry(names::folded(name)).or_insert(name);
    }
}

fn check_character_name(reader: &mut Reader, character: &Named, earlier: &Earlier) {
    let name = character.name;
    let mut fault = |message: String, help: &str| {
        reader.fault(Problem::error("manifest::name", message).help(help), character.span.clone());
    };
    let rule = "letters, digits, `_`, `-`, `.` and spaces are allowed, 64 bytes of them";
    if let Err(why) = names::character(name) {
        return fault(format!("a character cannot be called {name:?}: {why}"), rule);
    }
    if let Some(other) = earlier.lower.get(&name.to_lowercase()) {
        let message = format!("the characters {other:?} and {name:?} differ only by case");
        return fault(message, "on Windows and macOS they would be one folder; rename one");
    }
    if let Some(other) = earlier.folded.get(&names::folded(name)) {
        let message = format!("the characters {other:?} and {name:?} are the same as identifiers");
        fault(message, "they would share constants; rename one");
    }
}

/// Folders of characters and files of constants lie side by side. Constants are called `vat.*`, which
/// no character may be, or as their target where that has a dot or a folder.
fn check_beside_targets(reader: &mut Reader, character: &Named, targets: &[String]) {
    let has_name = |target: &String| target.contains('.') || target == "unity";
    let is_called_so = |target: &String| target.to_lowercase() == character.name.to_lowercase();
    if targets.iter().any(|target| has_name(target) && is_called_so(target)) {
        let message = format!("the character {:?} is called as a target is", character.name);
        let problem = Problem::error("manifest::name", message);
        let help = "its folder and the target's file or folder would be one; rename the character";
        reader.fault(problem.help(help), character.span.clone());
    }
}

/// A format that a table asks for must be in this build, and on every platform.
fn check_format(reader: &mut Reader, table: &Table, platforms: &[Platform]) {
    let checked = match table.get("format") {
        Some(Value::Format(FormatChoice::Fixed(format))) => {
            encode::check_available(*format).and_then(|()| platforms::check(*format, platforms))
        }
        Some(Value::Format(FormatChoice::Auto)) if platforms::formats(platforms).is_empty() => {
            let message = "there is no format that all of the `platforms` have";
            Err(Problem::error("encode::platform", message).help("list fewer `platforms`"))
        }
        _ => return,
    };
    if let Err(problem) = checked {
        reader.fault(problem, table.span("format").unwrap_or_default());
    }
}

fn recipe(
    reader: &mut Reader,
    character: &Named,
    outer: &Layers,
    folder: &Path,
    platforms: &[Platform],
    lods: &[LodRecipe],
) -> Recipe {
    let table = reader.table(character.table, Section::Character);
    check_format(reader, &table, platforms);
    if !character.table.contains_key("source") {
        let problem = Problem::error("manifest::missing", format!("{:?} has no `source`", character.name));
        reader
            .fault(problem.help("name its model file: `source = \"art/crab.glb\"`"), character.span.clone());
    }
    let layers = outer.under(Some(&table));
    let level = |reader: &mut Reader, table: &Table| level(reader, table, &layers, platforms);
    let own_lods = lods::read(reader, Some(character.table), &level);
    let listed = match table.get("clips") {
        Some(Value::Clips(Some(listed))) => listed.clone(),
        _ => Vec::new(),
    };
    let entry = |(selector, span)| listed_clip(selector, layers.clip(), reader.place(span));
    let listed = listed.into_iter().map(entry).collect();
    let tables = reader.named(character.table, key("clip"));
    let tables_count = tables.len();
    let tables = tables.iter().map(|clip| clip_table(reader, clip, &layers, folder, platforms)).collect();
    let clips = merge(listed, tables);
    let all = table.get("clips") == Some(&Value::Clips(None))
        || (clips.is_empty() && !character.table.contains_key("clips"));
    // Tables of clips have been looked at.
    if all || clips.len() > tables_count {
        check_budget(reader, &layers);
    }
    let lods = own_lods.unwrap_or_else(|| lods.to_vec());
    let all_clips = all.then(|| layers.clip());
    for level in &lods {
        let settings = all_clips.iter().chain(clips.iter().map(|clip| &clip.settings));
        lods::check_budget(reader, level, settings);
    }
    Recipe {
        character: character.name.to_owned(),
        source: path_of(Some(&table), "source", folder).unwrap_or_default(),
        scene: selector_of(&table, "scene"),
        mesh: layers.mesh(),
        lods,
        all_clips,
        clips,
        platforms: platforms.to_vec(),
        place: reader.place(character.span.clone()),
    }
}

/// What a budget is to decide needs one.
fn check_budget(reader: &mut Reader, layers: &Layers) {
    let Some((key, span)) = layers.without_budget().filter(|_| !reader.is_wrong("max_error")) else { return };
    let message = format!("`{key} = \"auto\"` has no budget to keep: `max_error` is not set");
    let help = "set how far positions may be off, such as `max_error = \"1mm\"`, beside it, for the character or for the clip";
    reader.fault_once(Problem::error("manifest::budget", message).help(help), span);
}

/// Settings of a clip at a level of detail that says these of its own.
fn level(reader: &mut Reader, table: &Table, layers: &Layers, platforms: &[Platform]) -> ClipSettings {
    check_format(reader, table, platforms);
    layers.under(Some(table)).clip()
}

/// A clip of the list `clips`. One chosen by position keeps the name it has in the source.
fn listed_clip(selector: Selector, settings: ClipSettings, place: Place) -> ClipRecipe {
    let (name, from) = match selector {
        Selector::Name(name) => (name, None),
        index => (String::new(), Some(index)),
    };
    ClipRecipe { name, from, source: None, settings, place }
}

/// The list, with entries set up by their tables, then the tables that have no entry. An entry and
/// a table are one clip if they have the same name, or select the same position of the same file.
fn merge(listed: Vec<ClipRecipe>, mut tables: Vec<ClipRecipe>) -> Vec<ClipRecipe> {
    let same = |entry: &ClipRecipe, table: &ClipRecipe| match entry.from {
        None => entry.name == table.name,
        Some(_) => entry.from == table.from && table.source.is_none(),
    };
    let mut clips: Vec<ClipRecipe> = Vec::new();
    for entry in listed {
        match tables.iter().position(|table| same(&entry, table)) {
            Some(i) => clips.push(tables.remove(i)),
            None => clips.push(entry),
        }
    }
    clips.extend(tables);
    clips
}

fn clip_table(
    reader: &mut Reader,
    clip: &Named,
    layers: &Layers,
    folder: &Path,
    platforms: &[Platform],
) -> ClipRecipe {
    if let Err(why) = names::clip(clip.name) {
        let message = format!("a clip cannot be called {:?}: {why}", clip.name);
        let help = "give it a name, and say with `from` which animation of the source it is";
        reader.fault(Problem::error("manifest::name", message).help(help), clip.span.clone());
    }
    let table = reader.table(clip.table, Section::Clip);
    check_format(reader, &table, platforms);
    if let (Some(Value::Flag(true)), Some(_)) = (table.get("trim"), table.get("range")) {
        let problem =
            Problem::error("manifest::conflict", "`trim` and `range` both say where the clip starts");
        let span: Range<usize> = table.span("trim").unwrap_or_default();
        reader.fault(problem.help("remove `trim`, or the range"), span);
    }
    let layers = layers.under(Some(&table));
    check_budget(reader, &layers);
    ClipRecipe {
        name: clip.name.to_owned(),
        from: selector_of(&table, "from"),
        source: path_of(Some(&table), "source", folder),
        settings: layers.clip(),
        place: reader.place(clip.span.clone()),
    }
}
