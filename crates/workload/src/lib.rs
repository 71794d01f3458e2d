//! A scenario as data: operations, mix, pacing and sessions. Pure and seeded: no clock, no sockets.
//!
//! A [`Plan`] is what the scenario file spells; [`Program::compile`] resolves its names to indices, parses
//! its templates and refuses what does not fit. A [`Program`] is shared between threads and never changes;
//! what one user remembers is its [`State`].

mod arrivals;
mod call;
mod compile;
mod condition;
mod css;
mod deal;
mod encoding;
mod error;
mod expect;
mod extract;
mod generator;
mod html;
mod json_path;
mod mix;
mod names;
mod plan;
mod program;
mod renewal;
mod scenario;
mod srcset;
mod state;
mod step;
mod template;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use arrivals::Arrivals;
pub use call::{CompiledCall, MOST_RETURNED};
pub use css::{StyleReference, declaration_references, style_decode, style_references};
pub use encoding::markup_decode;
pub use error::{Error, Result};
pub use expect::CompiledExpect;
pub use extract::{Answer, Extractor, Taken};
pub use generator::{Generator, Scratch};
pub use html::{OwnStyle, Reference, ReferenceKind, own_styles, references};
pub use json_path::{JsonPath, Node};
pub use mix::{Mix, Next};
pub use plan::*;
pub use program::{
    ByProxy, CompiledOperation, CompiledPacing, Expectations, Program, Remembered, expectations,
};
pub use scenario::CompiledScenario;
pub use srcset::Viewport;
pub use state::State;
pub use step::{CompiledBody, CompiledPart, CompiledRepeat, CompiledStep, Filler};
pub use template::Template;
pub use tree::{CssSelector, Tree};
