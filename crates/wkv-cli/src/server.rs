//! A server for the pages: files from memory, and nothing else.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, Response, StatusCode, Uri, header};
use axum::routing::get;
use percent_encoding::percent_decode_str;
use tokio::runtime;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::site::Site;

/// How often Ctrl-C is asked for.
const POLLING: Duration = Duration::from_millis(50);

/// What the pages may do: run their own code and read their own files. WebAssembly needs a word
/// of its own.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; \
     font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Sent with every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    // The program may have been built anew since.
    (header::CACHE_CONTROL, "no-cache"),
];

/// Content types by the ending of a path.
const CONTENT_TYPES: [(&str, &str); 7] = [
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("svg", "image/svg+xml"),
    ("wasm", "application/wasm"),
];

/// Listens at `address`.
///
/// # Errors
/// If it is taken or not this machine's.
pub fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let listen = || {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    listen().map_err(|error: std::io::Error| {
        Failure::input(format!(
            "{address}: {error}; expected an address of this machine and a free port, as --port 0 \
             finds one"
        ))
    })
}

/// Serves `site` until the user asks to stop.
///
/// # Errors
/// If the operating system gives no thread or event queue.
pub fn serve(listener: TcpListener, site: Site, interrupt: &Interrupt) -> Result<(), Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = Router::new().fallback(get(answer)).with_state(Arc::new(site));
        tokio::select! {
            served = axum::serve(listener, router) => Ok(served?),
            () = stop(interrupt) => Ok(()),
        }
    })
}

async fn stop(interrupt: &Interrupt) {
    while !interrupt.requested() {
        tokio::time::sleep(POLLING).await;
    }
}

/// The file that `uri` names; a folder's is its `index.html`.
async fn answer(State(site): State<Arc<Site>>, uri: Uri) -> Response<Body> {
    let path = percent_decode_str(uri.path()).decode_utf8_lossy();
    let path = path.trim_start_matches('/');
    let index = format!("{path}index.html");
    let path = if path.is_empty() || path.ends_with('/') { &index } else { path };
    let (status, content_type, bytes) = match site.file(path) {
        Some(bytes) => (StatusCode::OK, content_type(path), bytes.clone()),
        None => {
            let text = format!("{path}: there is no such file\n");
            (StatusCode::NOT_FOUND, "text/plain; charset=utf-8", text.into())
        }
    };
    let mut response =
        Response::builder().status(status).header(header::CONTENT_TYPE, content_type);
    for (name, value) in HEADERS {
        response = response.header(name, value);
    }
    response.body(Body::from(bytes)).expect("headers that are constants")
}

fn content_type(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = CONTENT_TYPES.iter().find(|(known, _)| *known == ending);
    known.map_or("application/octet-stream", |(_, content_type)| content_type)
}
