//! axum on one thread, its database behind `spawn_blocking`: `serve-axum ADDRESS:PORT DATABASE [BLOCKING
//! THREADS]`.

use std::cell::OnceCell;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::serve::ListenerExt;
use axum::{Router, routing::get};
use peers::{HTML, Items, LARGE, SMALL};

thread_local! {
    /// Each blocking thread keeps its connection.
    static ITEMS: OnceCell<Items> = const { OnceCell::new() };
}

#[derive(serde::Deserialize)]
struct Wanted {
    id: i64,
}

async fn item(State(database): State<&'static str>, Query(wanted): Query<Wanted>) -> impl IntoResponse {
    let made = tokio::task::spawn_blocking(move || {
        ITEMS.with(|items| {
            let items = items.get_or_init(|| Items::open(database).expect("the database opens"));
            items.page(wanted.id, Vec::with_capacity(4096))
        })
    });
    match made.await {
        Ok(Ok(Some(page))) => (StatusCode::OK, [(header::CONTENT_TYPE, HTML)], page),
        Ok(Ok(None)) => (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, HTML)], Vec::new()),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, [(header::CONTENT_TYPE, HTML)], Vec::new()),
    }
}

fn main() -> std::io::Result<()> {
    let (address, database) = peers::arguments();
    let database: &'static str = database.leak();
    let threads = std::env::args().nth(3).map_or(4, |word| word.parse().expect("a number of threads"));
    let router = Router::new()
        .route("/", get(async || ([(header::CONTENT_TYPE, HTML)], &SMALL[..])))
        .route("/10k", get(async || ([(header::CONTENT_TYPE, HTML)], &LARGE[..])))
        .route("/item", get(item))
        .with_state(database);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_io().max_blocking_threads(threads).build()?.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(peers::BACKLOG)?.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        axum::serve(listener, router).await
    })
}
