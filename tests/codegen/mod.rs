//! Generated sources compile and say what the metadata says.

mod sample;

#[test]
fn dump() {
    let targets = ["rust", "wgsl", "hlsl"].map(str::to_owned);
    let files = vatpipe::codegen::generate(&sample::all(), &targets, &Default::default());
    for file in files.unwrap_or_else(|e| panic!("{e}")) {
        std::fs::write(format!("/tmp/gen/{}", file.file_name), file.text).unwrap();
    }
}
