//! What stands in `#[entity(...)]`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, Lit, LitInt, LitStr, Result, parenthesized};

/// A unique or plain index over columns.
pub struct Index {
    pub unique: bool,
    pub fields: Vec<Ident>,
}

/// Of the struct.
#[derive(Default)]
pub struct OfTable {
    pub name: Option<LitStr>,
    pub indexes: Vec<Index>,
}

/// Of a field.
#[derive(Default)]
pub struct OfColumn {
    pub name: Option<LitStr>,
    pub unique: bool,
    pub index: bool,
    pub max: Option<LitInt>,
    pub default: Option<Lit>,
    pub on_delete: Option<(OnDelete, Span)>,
}

/// What happens when the row that is referred to is deleted.
#[derive(Clone, Copy)]
pub enum OnDelete {
    Restrict,
    Cascade,
    SetNull,
}

impl OfTable {
    pub fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut table = Self::default();
        each(attributes, |meta| match word(meta).as_str() {
            "table" => once(meta, &mut table.name, |meta| meta.value()?.parse()),
            kind @ ("unique" | "index") => {
                let content;
                parenthesized!(content in meta.input);
                let fields = content.parse_terminated(Ident::parse_any, syn::Token![,])?;
                if fields.is_empty() {
                    return Err(meta.error("name the fields: `unique(a, b)`"));
                }
                table.indexes.push(Index { unique: kind == "unique", fields: fields.into_iter().collect() });
                Ok(())
            }
            _ => Err(meta.error("no attribute of an entity; there are `table`, `unique(…)` and `index(…)`")),
        })?;
        Ok(table)
    }
}

impl OfColumn {
    pub fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut column = Self::default();
        each(attributes, |meta| {
            match word(meta).as_str() {
            "column" => once(meta, &mut column.name, |meta| meta.value()?.parse()),
            "max" => once(meta, &mut column.max, |meta| meta.value()?.parse()),
            "default" => once(meta, &mut column.default, |meta| meta.value()?.parse()),
            "on_delete" => once(meta, &mut column.on_delete, on_delete),
            "unique" => flag(meta, &mut column.unique),
            "index" => flag(meta, &mut column.index),
            _ => Err(meta.error(
                "no attribute of a column; there are `unique`, `index`, `max`, `column`, `default` and `on_delete`",
            )),
        }
        })?;
        Ok(column)
    }
}

fn on_delete(meta: &ParseNestedMeta<'_>) -> Result<(OnDelete, Span)> {
    let text: LitStr = meta.value()?.parse()?;
    let rule = match text.value().as_str() {
        "restrict" => OnDelete::Restrict,
        "cascade" => OnDelete::Cascade,
        "set null" => OnDelete::SetNull,
        _ => return Err(syn::Error::new(text.span(), "expected \"restrict\", \"cascade\" or \"set null\"")),
    };
    Ok((rule, text.span()))
}

fn each(attributes: &[Attribute], mut take: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    let ours = attributes.iter().filter(|attribute| attribute.path().is_ident("entity"));
    ours.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| take(&meta)))
}

fn word(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(Ident::to_string).unwrap_or_default()
}

fn once<'m, T>(
    meta: &'m ParseNestedMeta<'m>,
    place: &mut Option<T>,
    parse: impl FnOnce(&'m ParseNestedMeta<'m>) -> Result<T>,
) -> Result<()> {
    if place.is_some() {
        return Err(meta.error("given twice"));
    }
    *place = Some(parse(meta)?);
    Ok(())
}

fn flag(meta: &ParseNestedMeta<'_>, place: &mut bool) -> Result<()> {
    if core::mem::replace(place, true) { Err(meta.error("given twice")) } else { Ok(()) }
}
