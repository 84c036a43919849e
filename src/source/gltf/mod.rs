//! glTF 2.0 → [`Source`].
//!
//! The file is taken apart in this order, each step in its own file:
//!
//! 1. `container`: bytes → JSON text and binary chunk; `json`: text → document tree.
//! 2. `extensions`: is everything the file requires known?
//! 3. `nodes`, `scenes`: the tree, and what of it is drawn.
//! 4. `skins`, `meshes` (`geometry`, `triangles`, `influences`), `materials`,
//!    `animations`: what the drawn nodes need, decoded by `accessors` out of `buffers`.
//!
//! What is not needed is not looked at: a missing image, an odd camera or a damaged mesh in another
//! scene stops nothing.

mod accessors;
mod animations;
mod budget;
mod buffers;
mod container;
mod extensions;
mod filters;
mod geometry;
mod influences;
mod json;
mod materials;
mod meshes;
mod meshopt;
mod nodes;
mod report;
mod scenes;
mod skins;
mod triangles;

use std::collections::BTreeMap;
use std::path::Path;

use accessors::Accessors;
use budget::Budget;
use buffers::Buffers;
pub use buffers::Resolve;
pub(super) use container::MAGIC;
use json::Element;
use meshes::Mesh;
use nodes::FileNode;
use report::Report;
use skins::FileSkin;

use super::{Node, Options, Part, Skin, Source};
use crate::problem::{Problem, Problems, Result};

/// Reads a `.glb` or `.gltf` file. `file` is its name in messages; `resolve` reads an external buffer
/// whose URI it is given as written (still percent-encoded, not yet checked for where it leads), and
/// is asked neither for images nor for data URIs.
///
/// # Errors
/// All that is found wrong, each with its JSON pointer.
pub fn read(
    bytes: &[u8],
    file: &Path,
    options: &Options,
    resolve: &mut Resolve<'_>,
) -> Result<Source, Problems> {
    let container = container::split(bytes, file)?;
    let json = json::parse(container.json, file)?;
    let root = Element::root(file, &json);
    check_version(&root)?;
    let mut report = Report::default();
    extensions::check(&root, &mut report);
    report.check(file)?;

    let nodes = nodes::read(&root, &mut report);
    report.check(file)?;
    let listed = scenes::choose(&root, &nodes, options.scene.as_ref(), &mut report)?;
    let drawn = drawn(&root, &nodes, &listed, &mut report);

    let budget = Budget::new(&options.limits, bytes.len());
    let buffers = Buffers::new(root.clone(), container.bin, resolve, budget);
    let quantization = extensions::used(&root, "KHR_mesh_quantization");
    let mut data = Accessors::new(root.clone(), buffers, quantization, &options.limits);
    let skins = read_skins(&root, &nodes, &drawn, &mut data, &mut report);
    let meshes = read_meshes(&root, &nodes, &drawn, &skins, &mut data, &mut report);

    let order = kept(&nodes, &listed, &skins);
    let mut place = vec![None; nodes.len()];
    for (i, &node) in order.iter().enumerate() {
        place[node] = Some(i);
    }
    let mut source = Source { materials: materials::read(&root), ..Source::default() };
    source.nodes.reserve_exact(order.len());
    for &node in &order {
        let node = read_node(&root, node, &nodes, &place, &meshes, &mut report);
        source.nodes.extend(report.keep(node));
    }
    report.check(file)?;
    let targets =
        animations::Targets { nodes: &source.nodes, place: &place, longest: options.limits.duration };
    source.clips = animations::read(&root, targets, &mut data, &mut report);
    assemble(&mut source, &nodes, &drawn, &place, skins, meshes);
    report.keep(check_size(&source, options));
    report.check(file)?;
    source.warnings = report.warnings(file);
    Ok(source)
}

fn check_version(root: &Element) -> Result<()> {
    let version = root.get("asset").and_then(|asset| asset.string("version").ok().flatten());
    let Some(version) = version else {
        let message = "the file is JSON, but no glTF: it has no `asset.version`";
        return Err(root.error("source::format", message));
    };
    let least = root.get("asset").and_then(|asset| asset.string("minVersion").ok().flatten());
    if !version.starts_with("2.") || least.is_some_and(|v| v != "2.0") {
        let message = format!("the file is glTF {}, and 2.0 is supported", least.unwrap_or(version));
        return Err(root
            .error("source::format", message)
            .help("glTF 1.0 is converted by `npx gltf-pipeline -i old.gltf -o new.glb`"));
    }
    Ok(())
}

/// The nodes that draw a mesh, by index in the file.
fn drawn(root: &Element, nodes: &[FileNode], listed: &[usize], report: &mut Report) -> Vec<usize> {
    let shown = nodes::below(nodes, listed, |node| node.visible);
    let drawn: Vec<usize> = (0..nodes.len()).filter(|&i| shown[i] && nodes[i].mesh.is_some()).collect();
    for &i in &drawn {
        let element = nodes::element(root, i);
        if element.extension("EXT_mesh_gpu_instancing").is_some() {
            let message = "EXT_mesh_gpu_instancing is not baked: the mesh is drawn once, at its node";
            report.push(element.warning("source::extension", message));
        }
    }
    drawn
}

/// The skins of the drawn nodes, by index in the file.
fn read_skins<'a>(
    root: &Element<'a>,
    nodes: &[FileNode],
    drawn: &[usize],
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> BTreeMap<usize, FileSkin> {
    let mut skins = BTreeMap::new();
    for skin in drawn.iter().filter_map(|&i| nodes[i].skin) {
        if skins.contains_key(&skin) {
            continue;
        }
        let Some(element) = root.item("skins", skin) else { continue };
        let read = skins::read(root, &element, data, report);
        skins.extend(report.keep(read).map(|read| (skin, read)));
    }
    skins
}

/// The meshes of the drawn nodes, by index in the file.
fn read_meshes<'a>(
    root: &Element<'a>,
    nodes: &[FileNode],
    drawn: &[usize],
    skins: &BTreeMap<usize, FileSkin>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> BTreeMap<usize, Mesh> {
    // The fewest joints of the skins that a mesh is drawn with; `None` if with none.
    let mut joints: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    for &i in drawn {
        let Some(mesh) = nodes[i].mesh else { continue };
        let found = nodes[i].skin.and_then(|skin| skins.get(&skin)).map(|skin| skin.joints.len());
        let fewest = joints.entry(mesh).or_default();
        *fewest = [*fewest, found].into_iter().flatten().min();
    }
    let mut meshes = BTreeMap::new();
    for (mesh, joints) in joints {
        let Some(element) = root.item("meshes", mesh) else { continue };
        meshes.insert(mesh, meshes::read(root, &element, joints, data, report));
    }
    meshes
}

/// The nodes of the source in its order, by index in the file: the scene, the joints, and all above.
fn kept(nodes: &[FileNode], listed: &[usize], skins: &BTreeMap<usize, FileSkin>) -> Vec<usize> {
    let mut marked = nodes::below(nodes, listed, |_| true);
    for &joint in skins.values().flat_map(|skin| &skin.joints) {
        marked[joint] = true;
    }
    nodes::add_ancestors(nodes, &mut marked);
    nodes::in_order(nodes, &marked)
}

fn read_node(
    root: &Element,
    index: usize,
    nodes: &[FileNode],
    place: &[Option<usize>],
    meshes: &BTreeMap<usize, Mesh>,
    report: &mut Report,
) -> Result<Node> {
    let (node, element) = (&nodes[index], nodes::element(root, index));
    let targets = node.mesh.and_then(|mesh| meshes.get(&mesh)).map_or(0, |mesh| mesh.targets);
    let mut weights = vec![0.0; targets];
    if targets > 0 {
        let mesh = node.mesh.and_then(|mesh| root.item("meshes", mesh));
        let own = element.list("weights")?;
        let given = match own {
            Some(own) => own,
            None => mesh.map_or(Ok(None), |mesh| mesh.list("weights"))?.unwrap_or_default(),
        };
        if !given.is_empty() && given.len() != targets {
            let message = format!("there are {} weights for {targets} morph targets", given.len());
            report.push(element.warning("source::nodes", message));
        }
        for (weight, given) in weights.iter_mut().zip(given) {
            *weight = given.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
        }
    }
    Ok(Node {
        name: element.name(),
        parent: node.parent.and_then(|parent| place[parent]),
        rest: nodes::transform(&element, report)?,
        weights,
        index,
    })
}

/// Puts together what was read, with indices into the lists of the source instead of the file's.
fn assemble(
    source: &mut Source,
    nodes: &[FileNode],
    drawn: &[usize],
    place: &[Option<usize>],
    skins: BTreeMap<usize, FileSkin>,
    meshes: BTreeMap<usize, Mesh>,
) {
    let mut skin_place = BTreeMap::new();
    for (index, skin) in skins {
        skin_place.insert(index, source.skins.len());
        let joints = skin.joints.iter().filter_map(|&joint| place[joint]).collect();
        source.skins.push(Skin { joints, inverse_bind: skin.inverse_bind });
    }
    let mut geometry_place = BTreeMap::new();
    for (index, mesh) in meshes {
        let first = source.geometries.len();
        source.geometries.extend(mesh.geometries);
        geometry_place.insert(index, first..source.geometries.len());
    }
    for &i in drawn {
        let (Some(node), Some(mesh)) = (place[i], nodes[i].mesh) else { continue };
        let skin = nodes[i].skin.and_then(|skin| skin_place.get(&skin).copied());
        for geometry in geometry_place.get(&mesh).cloned().unwrap_or_default() {
            let skin = skin.filter(|_| !source.geometries[geometry].influences.is_empty());
            source.parts.push(Part { node, geometry, skin });
        }
    }
}

fn check_size(source: &Source, options: &Options) -> Result<()> {
    let (vertices, triangles) = (source.vertex_count(), source.triangle_count());
    let limits = &options.limits;
    if vertices > limits.vertices || triangles > limits.triangles {
        let message = format!(
            "the model has {vertices} vertices and {triangles} triangles; {} and {} are the limits",
            limits.vertices, limits.triangles
        );
        return Err(Problem::error("source::limit", message).help("simplify the model"));
    }
    if triangles == 0 && options.need_triangles {
        let message = "the scene draws no triangles";
        return Err(Problem::error("source::empty", message)
            .help("choose another scene, or another file: this one has no mesh to bake"));
    }
    Ok(())
}
