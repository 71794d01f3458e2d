//! hyper on one thread: `serve-hyper ADDRESS:PORT`.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, body::Incoming};
use hyper_util::rt::TokioIo;
use peers::{LARGE, SMALL};

async fn page(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body: &'static [u8] = match request.uri().path() {
        "/" => &SMALL,
        "/10k" => &LARGE,
        _ => &[],
    };
    let mut response = Response::new(Full::new(Bytes::from_static(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(peers::HTML));
    if body.is_empty() {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    Ok(response)
}

fn main() -> std::io::Result<()> {
    let (address, _) = peers::arguments();
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(peers::BACKLOG)?;
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            stream.set_nodelay(true)?;
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(page)));
        }
    })
}
