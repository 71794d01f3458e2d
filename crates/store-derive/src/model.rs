//! The struct as a table: names, attributes, and what is wrong with them.

use std::collections::HashSet;

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{
    Data, DeriveInput, Error, Fields, GenericArgument, Ident, PathArguments, Result, Type, Visibility,
};

use crate::attributes::{Index, OfColumn, OfTable};

/// Databases take no longer names: PostgreSQL cuts at 63 bytes. Names of indexes are made of two and a word.
const LONGEST_NAME: usize = 63;

/// A table.
pub struct Model {
    pub name: Ident,
    pub visibility: Visibility,
    pub table: String,
    /// The field `id`.
    pub key: Column,
    /// The others.
    pub columns: Vec<Column>,
    pub indexes: Vec<Index>,
}

/// A field.
pub struct Column {
    pub field: Ident,
    pub kind: Type,
    pub name: String,
    pub attributes: OfColumn,
}

impl Model {
    pub fn of(input: &DeriveInput) -> Result<Self> {
        let refuse = |why: &str| Err(Error::new(input.ident.span(), why));
        let Data::Struct(data) = &input.data else { return refuse("an entity is a struct") };
        let Fields::Named(fields) = &data.fields else { return refuse("an entity has named fields") };
        if !input.generics.params.is_empty() {
            return refuse("an entity has no type parameters: it is one table");
        }
        let attributes = OfTable::parse(&input.attrs)?;
        let columns =
            fields.named.iter().map(|field| Column::of(field, &input.ident)).collect::<Result<Vec<_>>>()?;
        let (key, columns): (Vec<_>, Vec<_>) = columns.into_iter().partition(|column| column.field == "id");
        let Some(key) = key.into_iter().next() else {
            return refuse(&format!("an entity needs a field `id: Id<{}>`", input.ident));
        };
        if columns.is_empty() {
            return refuse("an entity needs a field besides `id`");
        }
        let table = match &attributes.name {
            Some(name) => checked_name(&name.value(), name.span())?,
            None => checked_name(&snake(&input.ident.unraw().to_string()), input.ident.span())?,
        };
        let mut model = Self {
            name: input.ident.clone(),
            visibility: input.vis.clone(),
            table,
            key,
            columns,
            indexes: attributes.indexes,
        };
        model.check()?;
        model.add_indexes_of_columns();
        Ok(model)
    }

    fn check(&self) -> Result<()> {
        let mut names = HashSet::from(["id"]);
        for column in &self.columns {
            if !names.insert(&column.name) {
                return Err(Error::new(column.field.span(), "two columns of one name"));
            }
        }
        for field in self.indexes.iter().flat_map(|index| &index.fields) {
            if !self.columns.iter().any(|column| column.field == *field) {
                return Err(Error::new(field.span(), "there is no such field"));
            }
        }
        let used = &self.key.attributes;
        if used.unique || used.index || used.max.is_some() || used.default.is_some() || used.name.is_some() {
            return Err(Error::new(self.key.field.span(), "the id takes no attributes"));
        }
        Ok(())
    }

    /// What rows refer to must find them quickly when it is deleted: references have an index, too.
    fn add_indexes_of_columns(&mut self) {
        for column in &self.columns {
            let unique = column.attributes.unique;
            if unique || column.attributes.index || is_reference(&column.kind) {
                self.indexes.push(Index { unique, fields: vec![column.field.clone()] });
            }
        }
    }

    /// The column of a field that is known to be there.
    pub fn column(&self, field: &Ident) -> &Column {
        self.columns.iter().find(|column| column.field == *field).expect("fields of indexes are checked")
    }

    /// Whether a field may refer to this very table, by what it is called.
    pub fn is_own(&self, kind: &Type) -> bool {
        match last_argument(last_argument(kind, "Option").unwrap_or(kind), "Ref") {
            Some(Type::Path(path)) => path.path.is_ident(&self.name),
            _ => false,
        }
    }
}

impl Column {
    fn of(field: &syn::Field, entity: &Ident) -> Result<Self> {
        let ident = field.ident.clone().expect("the fields are named");
        let attributes = OfColumn::parse(&field.attrs)?;
        let name = match &attributes.name {
            Some(name) => checked_name(&name.value(), name.span())?,
            None => checked_name(&ident.unraw().to_string(), ident.span())?,
        };
        let kind = syn::parse2(without_self(field.ty.to_token_stream(), entity))?;
        Ok(Self { field: ident, kind, name, attributes })
    }
}

/// A type that means the same outside of the struct, where `Self` would be another.
fn without_self(tokens: TokenStream, entity: &Ident) -> TokenStream {
    let named = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) if word == "Self" => Ident::new(&entity.to_string(), word.span()).into(),
        TokenTree::Group(group) => {
            let inner = without_self(group.stream(), entity);
            let mut named = Group::new(group.delimiter(), inner);
            named.set_span(group.span());
            named.into()
        }
        other => other,
    });
    named.collect()
}

fn is_reference(kind: &Type) -> bool {
    last_argument(last_argument(kind, "Option").unwrap_or(kind), "Ref").is_some()
}

/// The `T` of `name<T>`, wherever `name` comes from.
fn last_argument<'t>(kind: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(kind) => Some(kind),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Names stand between quotes in statements, and servers take few letters.
fn checked_name(name: &str, span: Span) -> Result<String> {
    let is_plain =
        name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if name.is_empty() || !is_plain || name.len() > LONGEST_NAME {
        return Err(Error::new(
            span,
            "a name in the database has lower-case ASCII letters, digits and `_`, at most 63",
        ));
    }
    Ok(name.to_owned())
}

/// `BankAccount` → `bank_account`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (index, char) in name.chars().enumerate() {
        if char.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(char.to_lowercase());
    }
    out
}
