use std::path::Path;

use gltf::Gltf;
use serde_json::{Value, json};
use vatpipe::container::glb::{Lod, Mesh, MeshPrimitive, columns_missed_in_half, write};
use vatpipe::source::Material;

use crate::support::node::check_glb;
use crate::support::random::Random;

/// A grid of `width` x `height` vertices in one primitive.
fn grid(width: u32, height: u32) -> Mesh {
    let n = width * height;
    let at = |v: u32| [(v % width) as f32 * 0.1, (v / width) as f32 * 0.1, (v % 7) as f32 * 0.01];
    let mut indices = Vec::new();
    for y in 1..height {
        for x in 1..width {
            let v = y * width + x;
            indices.extend([v - width - 1, v - width, v, v - width - 1, v, v - 1]);
        }
    }
    Mesh {
        name: "grid".into(),
        positions: (0..n).map(at).collect(),
        columns: (0..n).rev().collect(),
        column_uv: (0..n).map(|v| [(v as f32 + 0.5) / n as f32, 0.0]).collect(),
        lods: vec![Lod {
            vertex_count: n,
            primitives: vec![MeshPrimitive { indices, material: None }],
            column_uv: None,
        }],
        ..Mesh::default()
    }
}

fn material(name: &str) -> Material {
    Material {
        name: name.into(),
        base_color: [0.1, 0.25, 1.0, 0.5],
        metallic: 0.0,
        roughness: 0.7,
        emissive: [0.0, 3.0, f32::NAN],
        double_sided: true,
    }
}

/// A grid with everything a mesh can have: two UV sets, two colours, three materials of which two are
/// used, three levels of detail.
fn full() -> Mesh {
    let mut random = Random(9);
    let mut mesh = grid(9, 8);
    let n = mesh.positions.len();
    let mut list =
        |scale: f32| -> Vec<[f32; 4]> { (0..n).map(|_| [0; 4].map(|_| random.signed() * scale)).collect() };
    mesh.normals = Some(list(1.0).iter().map(|v| [v[0], v[1], v[2]]).collect());
    mesh.tangents = Some(list(1.0));
    mesh.uvs = [list(3.0), list(1.0)].map(|set| set.iter().map(|v| [v[0], v[1]]).collect()).to_vec();
    mesh.colors = vec![list(1.5), list(0.5)];
    mesh.materials = vec![material("Körper \"1\""), material("unused"), material("")];
    let all = mesh.lods[0].primitives[0].indices.clone();
    let primitive = |indices: &[u32], material| MeshPrimitive { indices: indices.to_vec(), material };
    let (a, b) = all.split_at(90);
    let none = primitive(&[], Some(1));
    mesh.lods[0].primitives = vec![primitive(a, Some(2)), none.clone(), primitive(b, Some(0))];
    mesh.lods.push(Lod {
        vertex_count: 40,
        primitives: vec![primitive(&all[..60], Some(0)), none],
        column_uv: None,
    });
    mesh.lods.push(Lod { vertex_count: 20, primitives: vec![primitive(&all[..9], None)], column_uv: None });
    mesh
}

/// The bytes of an accessor, tightly packed, found through the `gltf` crate.
fn bytes<'a>(file: &'a Gltf, accessor: &gltf::Accessor) -> &'a [u8] {
    let view = accessor.view().unwrap();
    assert!(view.stride().is_none_or(|stride| stride == accessor.size()));
    assert_eq!((view.offset() % 4, accessor.offset()), (0, 0));
    let length = accessor.count() * accessor.size();
    assert!(length <= view.length(), "coarser levels share the first bytes of a view");
    &file.blob.as_ref().unwrap()[view.offset()..][..length]
}

fn floats<const N: usize>(
    file: &Gltf,
    primitive: &gltf::Primitive,
    semantic: &gltf::Semantic,
) -> Vec<[f32; N]> {
    let accessor = primitive.get(semantic).unwrap_or_else(|| panic!("no {semantic:?}"));
    assert_eq!((accessor.data_type(), accessor.size()), (gltf::accessor::DataType::F32, 4 * N));
    let numbers = bytes(file, &accessor).chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()));
    numbers.collect::<Vec<_>>().as_chunks::<N>().0.to_vec()
}

/// Bytes of one index, and the indices.
fn indices(file: &Gltf, primitive: &gltf::Primitive) -> (usize, Vec<u32>) {
    let accessor = primitive.indices().unwrap();
    let size = accessor.size();
    let number = |c: &[u8]| c.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
    (size, bytes(file, &accessor).chunks(size).map(number).collect())
}

fn validate(dir: &Path, meshes: &[(&str, &Mesh)]) -> Vec<Value> {
    let mut files = Vec::new();
    for (name, mesh) in meshes {
        files.push(dir.join(name).with_extension("glb"));
        std::fs::write(files.last().unwrap(), write(mesh).unwrap()).unwrap();
    }
    check_glb(&files)
}

/// No error and no warning from the Khronos validator, whatever a mesh has.
#[test]
fn khronos_validator() {
    let full = full();
    let without_normals = Mesh { normals: None, ..full.clone() };
    let plain = Mesh { uvs: vec![], colors: vec![], tangents: None, materials: vec![], ..grid(3, 3) };
    let nameless = Mesh { name: String::new(), ..grid(2, 2) };
    let mut odd = full.clone(); // directions that are none
    odd.normals.as_mut().unwrap()[..3].copy_from_slice(&[[0.0; 3], [f32::NAN; 3], [1e30, 1e-30, 0.0]]);
    odd.tangents.as_mut().unwrap()[..2].copy_from_slice(&[[0.0; 4], [0.0, f32::INFINITY, 0.0, f32::NAN]]);
    odd.uvs[0][0] = [f32::NAN, f32::NEG_INFINITY];
    odd.colors[0][0] = [f32::NAN, -1.0, 2.0, f32::INFINITY];
    let dir = tempfile::tempdir().unwrap();
    let meshes = [
        ("full", &full),
        ("without_normals", &without_normals),
        ("plain", &plain),
        ("nameless", &nameless),
        ("odd", &odd),
    ];
    let reports = validate(dir.path(), &meshes);
    assert_eq!(reports[0]["info"]["totalVertexCount"], 2 * 72 + 40 + 20); // once for each primitive
    assert_eq!(reports[0]["info"]["materialCount"], 2);
    assert_eq!(reports[0]["info"]["generator"], "vatpipe");
    // The validator knows no use for UVs without textures; that is all it has to say.
    let unused = "UNUSED_OBJECT /meshes/0/primitives/0/attributes/TEXCOORD_0: This object may be unused.";
    assert_eq!(reports[2]["hints"], json!([unused]));
}

/// Case 47: 65,535 vertices fit 16-bit indices (the largest is 65,534), one more does not.
#[test]
fn many_vertices() {
    let sizes = [(257, 255, 2), (256, 256, 4), (350, 200, 4)]; // 65,535, 65,536 and 70,000 vertices
    let meshes = sizes.map(|(w, h, _)| grid(w, h));
    let dir = tempfile::tempdir().unwrap();
    validate(dir.path(), &[("a", &meshes[0]), ("b", &meshes[1]), ("c", &meshes[2])]);
    for ((w, h, size), mesh) in sizes.into_iter().zip(&meshes) {
        let file = Gltf::from_slice(&write(mesh).unwrap()).unwrap();
        let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
        let (bytes, indices) = indices(&file, &primitive);
        assert_eq!(bytes, size, "{w} x {h}");
        assert_eq!(indices, mesh.lods[0].primitives[0].indices);
        let positions: Vec<[f32; 3]> = floats(&file, &primitive, &gltf::Semantic::Positions);
        assert_eq!(positions, mesh.positions);
        let last = indices[indices.len() - 3..].iter().map(|&i| positions[i as usize]);
        let n = mesh.positions.len();
        let expected = [n - w as usize - 2, n - 1, n - 2].map(|i| mesh.positions[i]);
        assert_eq!(last.collect::<Vec<_>>(), expected);
    }
}

/// Case 47: two primitives of 40,000 vertices each, merged, do not wrap; a coarse level of detail
/// over few of the vertices has small indices.
#[test]
fn two_large_primitives() {
    let mut mesh = grid(200, 400);
    let all = mesh.lods[0].primitives[0].indices.clone();
    let (low, high): (Vec<[u32; 3]>, Vec<[u32; 3]>) =
        all.as_chunks::<3>().0.iter().partition(|t| t.iter().all(|&v| v < 40_000));
    let primitive = |t: &[[u32; 3]]| MeshPrimitive { indices: t.as_flattened().to_vec(), material: None };
    mesh.lods[0].primitives = vec![primitive(&low), primitive(&high)];
    mesh.lods.push(Lod { vertex_count: 40_000, primitives: vec![primitive(&low)], column_uv: None });
    let file = Gltf::from_slice(&write(&mesh).unwrap()).unwrap();
    let read: Vec<_> = file.meshes().flat_map(|m| m.primitives()).map(|p| indices(&file, &p)).collect();
    let flat = |t: Vec<[u32; 3]>| t.as_flattened().to_vec();
    assert_eq!(read, [(4, flat(low.clone())), (4, flat(high)), (2, flat(low))]);
}

/// Case 21: the column goes into the UV set after the artist's, whose bytes are untouched, and is
/// exact in `_VAT_COLUMN`.
#[test]
fn vertex_attributes() {
    let mesh = full();
    let file = Gltf::from_slice(&write(&mesh).unwrap()).unwrap();
    let primitives: Vec<_> = file.meshes().flat_map(|m| m.primitives()).collect();
    assert_eq!(primitives.len(), 4);
    let whole = mesh;
    for (primitive, count) in primitives.iter().zip([72, 72, 40, 20]) {
        use gltf::Semantic::*;
        assert_eq!(primitive.attributes().count(), 9);
        // Coarser levels have the first vertices alone.
        let mut mesh = whole.clone();
        mesh.positions.truncate(count);
        mesh.columns.truncate(count);
        mesh.uvs.iter_mut().chain([&mut mesh.column_uv]).for_each(|uv| uv.truncate(count));
        mesh.colors[0].truncate(count);
        assert_eq!(floats::<3>(&file, primitive, &Positions), mesh.positions);
        assert_eq!(floats::<2>(&file, primitive, &TexCoords(0)), mesh.uvs[0]);
        assert_eq!(floats::<2>(&file, primitive, &TexCoords(1)), mesh.uvs[1]);
        assert_eq!(floats::<2>(&file, primitive, &TexCoords(2)), mesh.column_uv);
        let colors = mesh.colors[0].iter().map(|c| c.map(|c| c.clamp(0.0, 1.0)));
        assert_eq!(floats::<4>(&file, primitive, &Colors(0)), colors.collect::<Vec<_>>());
        let columns = mesh.columns.iter().map(|&c| [c as f32]);
        let semantic = Extras("VAT_COLUMN".into());
        assert_eq!(floats::<1>(&file, primitive, &semantic), columns.collect::<Vec<_>>());
        let length = |v: &[f32]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        for (n, t) in
            floats::<3>(&file, primitive, &Normals).iter().zip(floats::<4>(&file, primitive, &Tangents))
        {
            assert!((length(n) - 1.0).abs() < 1e-6 && (length(&t[..3]) - 1.0).abs() < 1e-6);
            assert!(t[3] == 1.0 || t[3] == -1.0);
        }
        let bounds = primitive.bounding_box();
        for axis in 0..3 {
            let values = || mesh.positions.iter().map(|p| p[axis]);
            assert_eq!(bounds.min[axis], values().fold(f32::MAX, f32::min));
            assert_eq!(bounds.max[axis], values().fold(f32::MIN, f32::max));
        }
    }
}

#[test]
fn nodes_materials_and_levels_of_detail() {
    let mesh = full();
    let file = Gltf::from_slice(&write(&mesh).unwrap()).unwrap();
    let scene = file.default_scene().unwrap();
    let names: Vec<_> =
        scene.nodes().map(|n| (n.name().unwrap(), n.mesh().unwrap().name().unwrap())).collect();
    assert_eq!(names, [("grid", "grid"), ("grid_LOD1", "grid_LOD1"), ("grid_LOD2", "grid_LOD2")]);

    let of = |p: gltf::Primitive| (p.material().index(), indices(&file, &p).1);
    let primitives: Vec<_> = file.meshes().map(|m| m.primitives().map(of).collect::<Vec<_>>()).collect();
    let given = |lod: usize, p: usize| mesh.lods[lod].primitives[p].indices.clone();
    // The unused material is gone, and the primitives without triangles.
    assert_eq!(primitives[0], [(Some(1), given(0, 0)), (Some(0), given(0, 2))]);
    assert_eq!(primitives[1..], [vec![(Some(0), given(1, 0))], vec![(None, given(2, 0))]]);

    let materials: Vec<_> = file.materials().collect();
    assert_eq!(materials.iter().map(|m| m.name()).collect::<Vec<_>>(), [Some("Körper \"1\""), None]);
    for material in materials {
        let pbr = material.pbr_metallic_roughness();
        assert_eq!(pbr.base_color_factor(), [0.1, 0.25, 1.0, 0.5]);
        assert_eq!((pbr.metallic_factor(), pbr.roughness_factor()), (0.0, 0.7));
        assert_eq!((material.emissive_factor(), material.double_sided()), ([0.0, 1.0, 0.0], true));
    }
}

/// The JSON of the smallest mesh, whole: keys in a fixed order, nothing empty.
#[test]
fn golden_json() {
    let mesh = Mesh {
        name: "t".into(),
        positions: vec![[0.1, -2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1e-7, 3.0]],
        columns: vec![0, 1, 1 << 24],
        column_uv: vec![[0.5, 0.0]; 3],
        lods: vec![Lod {
            vertex_count: 3,
            primitives: vec![MeshPrimitive { indices: vec![0, 1, 2], material: None }],
            column_uv: None,
        }],
        ..Mesh::default()
    };
    let file = write(&mesh).unwrap();
    assert_eq!(file, write(&mesh).unwrap());
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&file[20..20 + length]).unwrap();
    let expected = concat!(
        r#"{"asset":{"version":"2.0","generator":"vatpipe"},"scene":0,"scenes":[{"nodes":[0]}],"#,
        r#""nodes":[{"name":"t","mesh":0}],"#,
        r#""meshes":[{"name":"t","primitives":[{"#,
        r#""attributes":{"POSITION":0,"TEXCOORD_0":1,"_VAT_COLUMN":2},"indices":3}]}],"#,
        r#""accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","#,
        r#""min":[0.0,-2.0,0.0],"max":[1.0,1e-7,3.0]},"#,
        r#"{"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"},"#,
        r#"{"bufferView":2,"componentType":5126,"count":3,"type":"SCALAR"},"#,
        r#"{"bufferView":3,"componentType":5123,"count":3,"type":"SCALAR"}],"#,
        r#""bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":36,"target":34962},"#,
        r#"{"buffer":0,"byteOffset":36,"byteLength":24,"target":34962},"#,
        r#"{"buffer":0,"byteOffset":60,"byteLength":12,"target":34962},"#,
        r#"{"buffer":0,"byteOffset":72,"byteLength":6,"target":34963}],"#,
        r#""buffers":[{"byteLength":80}]}"#,
    );
    assert_eq!(text.trim_end_matches(' '), expected);
    assert_eq!(file.len() % 4, 0);
    assert_eq!(file[8..12], (file.len() as u32).to_le_bytes());
}

/// Case 21: which columns 16-bit UVs would miss.
#[test]
fn columns_in_half_precision() {
    let missed = [290, 512, 1024, 2048, 4096, 8192].map(columns_missed_in_half);
    assert_eq!(missed, [0, 0, 0, 512, 1536, 4608]);
}

#[test]
fn what_cannot_be_written() {
    let code = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = full();
        change(&mut mesh);
        write(&mesh).map(|_| ()).map_err(|problem| problem.code)
    };
    assert_eq!(code(&|_| ()), Ok(()));
    assert_eq!(code(&|m| m.columns[0] = 1 << 24), Ok(()));
    assert_eq!(code(&|m| m.columns[0] = (1 << 24) + 1), Err("container::column"));
    let wrong: [&dyn Fn(&mut Mesh); 13] = [
        &|m| *m = Mesh::default(),
        &|m| m.lods.clear(),
        &|m| m.positions[3][1] = f32::NAN,
        &|m| m.columns.truncate(3),
        &|m| m.column_uv.push([0.0; 2]),
        &|m| m.normals.as_mut().unwrap().truncate(1),
        &|m| m.tangents.as_mut().unwrap().clear(),
        &|m| m.uvs[1].clear(),
        &|m| m.colors[0].truncate(5),
        &|m| m.lods[1].primitives.clear(),
        &|m| m.lods[2].vertex_count = 2,
        &|m| m.lods[0].vertex_count = 73,
        &|m| m.lods[0].primitives[0].material = Some(3),
    ];
    for change in wrong {
        assert_eq!(code(change), Err("container::mesh"));
    }
    assert_eq!(code(&|m| m.lods[0].primitives[0].indices.truncate(4)), Err("container::mesh"));
}
