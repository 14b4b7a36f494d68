//! A server of a folder's files over HTTP on this machine, until it is stopped.

use std::path::PathBuf;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server on a port of its own, which the browser takes for a site with storage of its own.
pub struct Server {
    pub address: String,
    accepting: JoinHandle<()>,
}

impl Server {
    pub async fn start(folder: PathBuf) -> Server {
        assert!(folder.join("index.html").is_file(), "{} holds no built page", folder.display());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}/", listener.local_addr().expect("the listener's address"));
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let folder = folder.clone();
                // A connection that the browser closes early is not an error.
                tokio::spawn(async move { answer(stream, folder).await.ok() });
            }
        });
        Server { address, accepting }
    }

    /// Stops answering at the address.
    pub async fn stop(self) {
        self.accepting.abort();
        // The port is free once the task has ended.
        let _ = self.accepting.await;
    }
}

/// Answers one request and closes the connection.
async fn answer(stream: TcpStream, folder: PathBuf) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    stream.read_line(&mut request).await?;
    let mut header = String::new();
    while stream.read_line(&mut header).await? > 2 {
        header.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("/").trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let (status, body) = match std::fs::read(folder.join(name)) {
        Ok(body) if !name.contains("..") => ("200 OK", body),
        _ => ("404 Not Found", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        kind(name),
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.flush().await
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js" | "mjs") => "text/javascript",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
