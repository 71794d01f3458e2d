//! actix-web with one worker: `serve-actix ADDRESS:PORT`.

use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, web};
use peers::{HTML, LARGE, SMALL};

async fn small() -> HttpResponse {
    HttpResponse::Ok().content_type(HTML).body(&SMALL[..])
}

async fn large() -> HttpResponse {
    HttpResponse::Ok().content_type(HTML).body(&LARGE[..])
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let (address, _) = peers::arguments();
    HttpServer::new(|| App::new().route("/", web::get().to(small)).route("/10k", web::get().to(large)))
        .workers(1)
        .backlog(peers::BACKLOG)
        .tcp_nodelay(true)
        .keep_alive(Duration::from_secs(300))
        .bind(address)?
        .run()
        .await
}
