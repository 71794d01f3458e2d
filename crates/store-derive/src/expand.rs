//! The table as Rust.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Lit, LitStr};

use crate::attributes::{Index, OnDelete};
use crate::model::{Column, Model};

/// The implementation of `Entity`, the struct of its columns, and what the compiler is to check.
pub fn expand(model: &Model) -> TokenStream {
    let name = &model.name;
    let columns_struct = columns_struct(model);
    let checks = model.columns.iter().flat_map(|column| checks(model, column));
    let (constants, methods) = (constants(model), methods(model));
    quote! {
        #columns_struct

        const _: () = {
            use ::loadstone_store::entity;

            #(#checks)*

            #[automatically_derived]
            impl ::loadstone_store::Entity for #name {
                #constants
                #methods
            }
        };
    }
}

fn constants(model: &Model) -> TokenStream {
    let (name, table, columns_type) = (&model.name, &model.table, columns_type(model));
    let descriptions = model.columns.iter().map(description);
    let indexes = model.indexes.iter().map(|index| index_description(model, index));
    let additions = (1..=model.columns.len()).map(|index| quote!(entity::Addition::<Self, #index>::SQL));
    let others = model.columns.iter().filter(|column| !model.is_own(&column.kind)).map(|column| &column.kind);
    quote! {
        type Columns = #columns_type;
        const NAME: &'static str = ::core::stringify!(#name);
        const TABLE: &'static str = #table;
        const COLUMNS: &'static [entity::Column] =
            &[entity::Column::of::<::loadstone_store::Ref<Self>>("id"), #(#descriptions),*];
        const INDEXES: &'static [entity::Index] = &[#(#indexes),*];
        const ADDITIONS: &'static [[&'static str; 3]] = &[["", "", ""], #(#additions),*];
        const DEPTH: u32 = 1 + entity::deepest(&[#(<#others as entity::Field>::DEPTH),*]);
    }
}

fn methods(model: &Model) -> TokenStream {
    let (name, columns_type) = (&model.name, columns_type(model));
    let (fields, numbers): (Vec<_>, Vec<_>) =
        model.columns.iter().map(|column| &column.field).zip(1_usize..).unzip();
    let reads = model.columns.iter().zip(1_usize..).map(|(column, number)| {
        let (field, kind) = (&column.field, &column.kind);
        quote_spanned!(kind.span()=> #field: entity::required::<#kind>(row, #number)?)
    });
    let (key, key_type) = (&model.key.field, &model.key.kind);
    let key_check = quote_spanned!(key_type.span()=> let id: ::loadstone_store::Id<#name> = self.#key;);
    quote! {
        fn columns() -> #columns_type {
            #columns_type {
                #key: entity::Col::new(),
                #(#fields: entity::Col::new(),)*
            }
        }

        fn key(&self) -> ::loadstone_store::Id<Self> {
            #key_check
            id
        }

        fn set_key(&mut self, id: ::loadstone_store::Id<Self>) {
            self.#key = id;
        }

        fn with_values<T>(
            &self,
            work: impl ::core::ops::FnOnce(&[::loadstone_store::Value<'_>]) -> T,
        ) -> ::loadstone_store::Result<T> {
            let id = self.key().get().map(::loadstone_store::Ref::id);
            ::core::result::Result::Ok(work(&[
                #(entity::checked(&self.#fields, &Self::COLUMNS[#numbers], Self::TABLE)?,)*
                ::loadstone_store::Value::from(id),
            ]))
        }

        fn read(row: &::loadstone_store::Row<'_>) -> ::loadstone_store::Result<Self> {
            ::core::result::Result::Ok(Self {
                #key: ::loadstone_store::Ref::new(row.int(0)?).into(),
                #(#reads,)*
            })
        }
    }
}

fn columns_type(model: &Model) -> Ident {
    format_ident!("{}Columns", model.name)
}

fn columns_struct(model: &Model) -> TokenStream {
    let (name, visibility) = (&model.name, &model.visibility);
    let columns_type = columns_type(model);
    let doc = format!("Columns of [`{name}`], for filters and orders.");
    let key = &model.key.field;
    let fields = model.columns.iter().zip(1_usize..).map(|(column, number)| {
        let (field, kind) = (&column.field, &column.kind);
        let doc = format!("`{field}`");
        quote!(#[doc = #doc] #visibility #field: ::loadstone_store::entity::Col<#name, #kind, #number>)
    });
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy)]
        #[allow(dead_code, reason = "not every column is asked for")]
        #visibility struct #columns_type {
            /// The key.
            #visibility #key: ::loadstone_store::entity::Col<#name, ::loadstone_store::Ref<#name>, 0>,
            #(#fields,)*
        }
    }
}

/// A column as a constant.
fn description(column: &Column) -> TokenStream {
    let (kind, name) = (&column.kind, &column.name);
    let mut fields = Vec::new();
    if let Some(max) = &column.attributes.max {
        fields.push(quote!(max: ::core::option::Option::Some(#max)));
    }
    if let Some(default) = column.attributes.default.as_ref().and_then(default_sql) {
        fields.push(quote!(default: ::core::option::Option::Some(#default)));
    }
    if let Some((rule, _)) = column.attributes.on_delete {
        let rule = match rule {
            OnDelete::Restrict => quote!(Restrict),
            OnDelete::Cascade => quote!(Cascade),
            OnDelete::SetNull => quote!(SetNull),
        };
        fields.push(quote!(on_delete: entity::OnDelete::#rule));
    }
    let plain = quote_spanned!(kind.span()=> entity::Column::of::<#kind>(#name));
    if fields.is_empty() { plain } else { quote!(entity::Column { #(#fields,)* ..#plain }) }
}

fn index_description(model: &Model, index: &Index) -> TokenStream {
    let names: Vec<_> = index.fields.iter().map(|field| model.column(field).name.as_str()).collect();
    let (table, unique) = (&model.table, if index.unique { "UNIQUE " } else { "" });
    let suffix = if index.unique { "unique" } else { "index" };
    let name = format!("{table}_{}_{suffix}", names.join("_"));
    let columns = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let create = format!("CREATE {unique}INDEX \"{name}\" ON \"{table}\"({columns})");
    let inline = format!("{unique}KEY \"{name}\" ({columns})");
    let fits = name.len() <= 63;
    quote! {
        entity::Index {
            name: {
                ::core::assert!(#fits, "the name of an index, made of the table's and the columns', has more than 63 bytes");
                #name
            },
            create: #create,
            inline: #inline,
        }
    }
}

/// What only the compiler knows: whether attributes suit the field's type. Each is told where it stands.
fn checks(model: &Model, column: &Column) -> Vec<TokenStream> {
    let kind = &column.kind;
    let mut checks = Vec::new();
    let mut check = |span: Span, condition: TokenStream, message: &str| {
        checks.push(quote_spanned!(span=> const _: () = ::core::assert!(#condition, #message);));
    };
    let attributes = &column.attributes;
    if let Some(max) = &attributes.max {
        check(max.span(), is_kind(column, "Text"), "`max` is for text");
        check(max.span(), quote!(#max > 0 && #max <= 16_000), "`max` is from 1 to 16000 characters");
    }
    let is_indexed = model.indexes.iter().any(|index| index.fields.contains(&column.field));
    if is_indexed {
        let short = attributes.max.as_ref().map_or_else(|| quote!(false), |max| quote!(#max <= 700));
        let text = is_kind(column, "Text");
        check(
            kind.span(),
            quote!(!#text || #short),
            "text with an index needs `max`, at most 700 characters",
        );
        let bytes = is_kind(column, "Bytes");
        check(kind.span(), quote!(!#bytes), "bytes have no index");
    }
    if let Some((rule, span)) = attributes.on_delete {
        check(
            span,
            quote!(<#kind as entity::Field>::TARGET.is_some()),
            "`on_delete` is for references: `Ref<T>`",
        );
        if let OnDelete::SetNull = rule {
            check(span, quote!(<#kind as entity::Field>::OPTIONAL), "\"set null\" is for `Option<Ref<T>>`");
        }
    }
    if let Some(default) = &attributes.default {
        let wanted = match default {
            Lit::Str(_) => "Text",
            Lit::Float(_) => "Real",
            _ => "Integer",
        };
        let is_possible =
            if default_sql(default).is_some() { is_kind(column, wanted) } else { quote!(false) };
        check(default.span(), is_possible, "the default is no value of this column");
    }
    checks
}

fn is_kind(column: &Column, wanted: &str) -> TokenStream {
    let (kind, wanted) = (&column.kind, format_ident!("{}", wanted));
    quote!(::core::matches!(<#kind as entity::Field>::KIND, entity::ColumnKind::#wanted))
}

/// A literal in SQL, where a quote is written twice.
fn default_sql(literal: &Lit) -> Option<LitStr> {
    let text = match literal {
        Lit::Str(text) => format!("'{}'", text.value().replace('\'', "''")),
        Lit::Int(number) => number.base10_digits().to_owned(),
        Lit::Float(number) => number.base10_digits().to_owned(),
        Lit::Bool(value) => u8::from(value.value).to_string(),
        _ => return None,
    };
    Some(LitStr::new(&text, literal.span()))
}
