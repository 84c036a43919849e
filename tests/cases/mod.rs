//! What went wrong for people who bake character animation, or build on the parts that a baker is made of:
//! the cases of `../shared/cases.md`, each with the value given there, from the model file to what is written.
//!
//! | case | what | test |
//! |---|---|---|
//! | 1 | armature scaled above the joints | `animation::case_1_*`; `source::ready` |
//! | 2 | two meshes or materials | `geometry::case_2_*`; `source::ready` |
//! | 3 | first key after the start | `animation::case_3_*` |
//! | 4 | texture treated as colour | `texture::case_4_*`; `container::ktx2`; `manifest::diagnostics` |
//! | 5 | loop seam | `animation::case_5_*` |
//! | 6 | axes of the target | `journey::axes` |
//! | 8 | names that are no identifiers | `constants::case_8_*`; `codegen::ident`, `codegen::rust` |
//! | 9 | keys of opposite sign | `animation::case_9_*` |
//! | 10 | bounds | `constants::case_10_*` |
//! | 11 | vertex order | `geometry::case_11_*`, `constants::case_11_*`; the hash of the layout: later issue |
//! | 13 | second save not noticed | later issue (watch) |
//! | 14 | `.gltf` first, `.bin` later | later issue (watch) |
//! | 15 | `build.rs` runs each time | later issue (build script) |
//! | 17 | the sample at the end | `animation::case_17_*`; `source::animations` |
//! | 19 | texel centres, halves, bleeding | `constants::case_19_*`; `codegen::program` |
//! | 20 | 16-bit normalised textures | `constants::case_20_*`; `encode::format`; a format a target lacks: later issue (targets) |
//! | 21 | column in a UV set | `geometry::case_21_*`; `container::glb` |
//! | 25 | 32-bit floats and filters | `constants::case_25_*`; `codegen::wgsl` |
//! | 29 | Draco, meshopt | `robustness::case_29_*` (meshopt is decoded by now, not refused); `source::extensions` |
//! | 30 | columns of LODs | `lods::case_30_*` |
//! | 31 | read-only source folder | later issue (build script) |
//! | 33 | clips of one name | `animation::case_33_*`; `codegen::ident` |
//! | 34 | simplifier stops early | `lods::case_34_*` |
//! | 35 | data format descriptor | `texture::case_35_*`; `container::ktx2` |
//! | 36 | fresh checkout | later issue (cache) |
//! | 38 | STEP keys | `animation::case_38_*` |
//! | 39 | supercompression | `texture::case_39_*`; a target that cannot read it: `codegen::unity` |
//! | 42 | quantised, strided animation | `animation::case_42_*`; `source::animations` |
//! | 44 | watch limit | later issue (watch) |
//! | 47 | more than 65,535 vertices | `geometry::case_47_*`; `container::glb`; a target of 16 bits: `codegen::unity` |
//! | 48 | ASTC | later issue (block compression) |
//! | 50 | indices and accessors outside | `robustness::case_50_*`; `source::accessors`, `meshes`, `skins`, `hostile` |
//! | 51 | path traversal | `robustness::case_51_*`; `source::buffers` |
//! | 52 | absurd counts | `robustness::case_52_*`; `source::accessors`, `buffers`, `animations`, `hostile` |
//!
//! | runner-up | what | test |
//! |---|---|---|
//! | 1 | output differs between runs | `robustness::runner_up_1_*` |
//! | 2 | no events on network drives | later issue (watch) |
//! | 3 | exit code 0 on failure | `robustness::case_50_a_batch_goes_on`, `robustness::runner_up_3_*` |
//! | 4 | Git LFS pointer | `robustness::runner_up_4_*`; `source::format` |
//! | 5 | event queue overflow | later issue (watch) |
//! | 6 | file locked by the exporter | later issue (watch) |
//! | 7 | cycles and depth of nodes | `robustness::runner_up_7_*`; `source::nodes` |
//! | 8 | missing images | `robustness::runner_up_8_*`; `source::nodes` |
//! | 9 | misspelt key | `robustness::runner_up_9_*`; `manifest::diagnostics` |
//! | 10 | channel without a node | `animation::runner_up_10_*`; `source::animations` |
//! | 11 | joint indices of 8 or 16 bits | `animation::runner_up_11_*`; `source::skins` |
//! | 12 | no normals | `geometry::runner_up_12_*` |
//! | 13 | negative scale | `geometry::runner_up_13_*` |
//! | 14 | primitives sharing an accessor | `geometry::runner_up_14_*`; `source::ready` |
//! | 15 | LOD error of scaled rigs | `lods::runner_up_15_*` |
//! | 16 | layers and mip levels | `texture::runner_up_16_*`; `container::ktx2` |
//! | 17 | orientation of KTX | `constants::runner_up_17_*`; in Unity: `codegen::unity` |
//! | 18 | `highp` in GLSL | later issue (targets) |
//! | 19 | time loses precision | `constants::runner_up_19_*`; `codegen::program` |
//! | 20 | wrong rate constant | `animation::runner_up_20_*` |
//! | 21 | case of file names | `robustness::runner_up_21_*`; where the file is found all the same (Windows): a warning, not testable here |
//! | 22 | zero scale, NaN | `animation::runner_up_22_*`; `source::animations` |
//! | 23 | external `.bin` forgotten | `geometry::runner_up_23_*` |
//! | 24 | only one track baked | `animation::runner_up_24_*` |
//! | 25 | first row blank | `animation::runner_up_25_*` |
//! | 26 | power-of-two padding | `geometry::runner_up_26_*` |

mod animation;
mod constants;
mod geometry;
mod lods;
mod play;
mod project;
mod robustness;
mod texture;
