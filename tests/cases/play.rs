//! Baked characters played by the generated `vat.rs`: compiled, and run over the texture's bytes.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::project::Project;

/// The program `tests/cases/player.rs`, compiled for the character `it` of a project.
pub struct Player {
    folder: TempDir,
}

impl Player {
    /// Compiles the constants of a project whose `it` has one sheet, `rgba32f` or `rgba16ui`, not compressed.
    pub fn new(project: &Project) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        write("vat.rs", project.text("out/vat.rs").as_bytes());
        write("player.rs", include_bytes!("player.rs"));
        let file = std::fs::read(project.path("out/it/it_0_VAT.ktx2")).unwrap();
        let level = ktx2::Reader::new(file.as_slice()).unwrap().levels().next().unwrap().data.to_vec();
        write("level.bin", &level);
        let mesh = project.character("it").mesh;
        let vertices = mesh.columns.iter().zip(&mesh.positions);
        let rest: Vec<String> = vertices.map(|(column, p)| format!("({column}, {p:?})")).collect();
        write("mesh.rs", format!("const MESH: &[(u32, [f32; 3])] = &[{}];\n", rest.join(", ")).as_bytes());
        compile(folder.path(), "player");
        Self { folder }
    }

    /// What the program reads for (clip, vertex, time): position, then the fourth channel of the frame's texel.
    pub fn play(&self, queries: &[(usize, usize, f64)]) -> Vec<[f32; 4]> {
        let mut command = Command::new(self.folder.path().join("player"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines: String =
            queries.iter().map(|(clip, vertex, t)| format!("{clip} {vertex} {t:?}\n")).collect();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let parse = |line: &str| {
            let numbers: Vec<f32> = line.split(' ').map(|n| n.parse().unwrap()).collect();
            <[f32; 4]>::try_from(numbers).unwrap()
        };
        let answers: Vec<_> = String::from_utf8(output.stdout).unwrap().lines().map(parse).collect();
        assert_eq!(answers.len(), queries.len());
        answers
    }

    pub fn position(&self, clip: usize, vertex: usize, time: f64) -> [f32; 3] {
        let [x, y, z, _] = self.play(&[(clip, vertex, time)])[0];
        [x, y, z]
    }
}

/// Compiles `<name>.rs` in a folder to `<name>`, every warning an error.
fn compile(folder: &Path, name: &str) {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.current_dir(folder).args(["-D", "warnings", "--edition", "2021", "-o", name]);
    let output = command.arg(format!("{name}.rs")).output().expect("rustc starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles a `main` beside the constants of a project (module `vat`), runs it, and returns what it prints.
pub fn rust_program(project: &Project, main: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vat.rs"), project.text("out/vat.rs")).unwrap();
    std::fs::write(folder.path().join("program.rs"), format!("mod vat;\n{main}\n")).unwrap();
    compile(folder.path(), "program");
    let output = Command::new(folder.path().join("program")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
