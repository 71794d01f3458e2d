//! What every server answers: two pages from memory, and one made from a database for each request.

mod item;

pub use item::Items;

/// A page of 166 bytes.
pub static SMALL: [u8; 166] = [b'x'; 166];
/// A page of 10 KB.
pub static LARGE: [u8; 10 * 1024] = [b'x'; 10 * 1024];
/// Media type of every page.
pub const HTML: &str = "text/html; charset=utf-8";
/// Connections that may wait to be accepted.
pub const BACKLOG: u32 = 4096;

/// Address and database from the command line.
///
/// # Panics
/// When they are missing.
pub fn arguments() -> (std::net::SocketAddr, String) {
    let mut words = std::env::args().skip(1);
    let address = words.next().and_then(|word| word.parse().ok()).expect("usage: ADDRESS:PORT DATABASE");
    (address, words.next().unwrap_or_default())
}

/// The item number in a query `id=N`; 0, which is no item, when there is none.
pub fn item_of(query: &str) -> i64 {
    query.strip_prefix("id=").and_then(|id| id.parse().ok()).unwrap_or(0)
}
