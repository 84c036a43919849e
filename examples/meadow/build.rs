fn main() -> vatpipe::build_script::Result {
    vatpipe::build_script::build()
}
