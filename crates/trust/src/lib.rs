//! Whose certificates a client of ours believes: authorities from files, the checks of rustls with one of them
//! left out, and what is wrong in words. The load engine and the drivers of databases share it.

mod pem;
mod verifiers;
mod words;

pub use pem::{certificates, private_key, read, roots};
pub use verifiers::AnyName;
pub use words::told;
