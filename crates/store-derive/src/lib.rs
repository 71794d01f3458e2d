//! `#[derive(Entity)]` for `loadstone-store`, which tells what it means and how it is used.
//!
//! The macro knows names and attributes; what a field's type means it leaves to the compiler, so that a type
//! under another name works and a wrong one is told by the compiler, where it stands.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod attributes;
mod expand;
mod model;

/// Makes a struct with named fields, among them `id: Id<Self>`, a table. See `loadstone_store::entity`.
///
/// On the struct: `#[entity(table = "name")]` (default: the struct's name in snake case),
/// `#[entity(unique(a, b))]`, `#[entity(index(a, b))]`.
///
/// On a field: `unique`, `index`, `max = 100` (characters), `column = "name"`,
/// `default = 0` (what rows have that are older than the column), and on a reference
/// `on_delete = "restrict" | "cascade" | "set null"`.
#[proc_macro_derive(Entity, attributes(entity))]
pub fn entity(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    model::Model::of(&input)
        .map(|model| expand::expand(&model))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
