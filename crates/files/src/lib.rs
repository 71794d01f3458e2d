//! A folder of files as a [`Service`](loadstone_http::Service): a static-file server on any connector.
//!
//! | step | file |
//! |---|---|
//! | from the path of a request to a name in the folder, or a refusal | `name` |
//! | from a name to an entry: opened beneath the folder, read when it is small | `entry` |
//! | entries kept, looked at again when they may be out of date | `shelf` |
//! | from an entry to an answer: preconditions, parts, codings | `answer` |

//!
//! Without the feature `std` there is no folder: [`Embedded`] serves files that are part of the program, with
//! the same answers.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod answer;
#[cfg(feature = "std")]
mod clerk;
mod embedded;
#[cfg(feature = "std")]
mod entry;
#[cfg(feature = "std")]
mod folder;
mod name;
#[cfg(feature = "std")]
mod shelf;
mod variant;

pub use crate::embedded::{Embedded, EmbeddedFile};
#[cfg(feature = "std")]
pub use crate::entry::media_type;
#[cfg(feature = "std")]
pub use crate::folder::{Files, Options};
pub use crate::name::{BadName, file_name};
