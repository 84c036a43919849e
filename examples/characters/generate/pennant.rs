pub fn model() -> Vec<u8> {
    super::glb::Glb::default().finish()
}
