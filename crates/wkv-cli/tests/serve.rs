//! `wkv serve`.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use common::{command, project};

/// A server, ended when dropped, and its address.
struct Server(Child, String);

impl Server {
    /// Nothing, said, if the pages' code was not built.
    fn start(arguments: &[&str]) -> Option<Self> {
        if !project().join("crates/wkv-web/pages/wasm/circuits_bg.wasm").exists() {
            println!("skipped: scripts/build-web was not run");
            return None;
        }
        let arguments = [&["serve", "--port", "0"], arguments].concat();
        let mut child = command(&project(), &arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("its address");
        let address = line.trim().strip_prefix("http://").and_then(|line| line.strip_suffix('/'));
        let address = address.expect("an address").to_owned();
        Some(Self(child, address))
    }

    /// The whole answer to a request for `path`.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: wkv\r\nConnection: close\r\n\r\n")
            .expect("the request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the answer");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn answers_with_its_own_files_only() {
    let Some(server) = Server::start(&[]) else { return };
    assert!(server.1.starts_with("127.0.0.1:"), "{}", server.1);
    for (path, content_type) in [
        ("/", "text/html"),
        ("/channel.html?format=q6.10", "text/html"),
        ("/js/channel/numerics.js", "text/javascript"),
        ("/wasm/circuits_bg.wasm", "application/wasm"),
        ("/models/stories%2D1.5m/tokenizer.json", "application/json"),
    ] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer:.200}");
        assert!(answer.contains(&format!("content-type: {content_type}")), "{path}");
        assert!(answer.contains("content-security-policy: default-src 'none'"), "{path}");
    }
    for path in ["/nothing", "/../Cargo.toml", "/%2e%2e/%2e%2e/Cargo.toml", "//etc/passwd"] {
        assert!(server.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
}

#[test]
fn a_model_of_any_name_can_be_fetched() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = folder.path().join("my \u{e9}t\u{e9} #1");
    fs::create_dir(&model).expect("a folder");
    for file in ["model.safetensors", "tokenizer.json"] {
        let from = project().join("models/stories-1.5m").join(file);
        fs::copy(from, model.join(file)).expect("a copy");
    }
    let path = model.display().to_string();
    let Some(server) = Server::start(&["--model", &path]) else { return };
    let answer = server.get("/models/my%20%C3%A9t%C3%A9%20%231/tokenizer.json");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.200}");
}
