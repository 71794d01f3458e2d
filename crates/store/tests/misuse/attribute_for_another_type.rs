use loadstone_store::{Entity, Id, Ref};

#[derive(Entity)]
struct Company {
    id: Id<Company>,
    #[entity(unique)]
    name: String,
    #[entity(max = 3)]
    size: i64,
    #[entity(default = "many")]
    owners: i64,
    #[entity(on_delete = "cascade")]
    parent: i64,
    #[entity(index)]
    logo: Vec<u8>,
}

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    #[entity(on_delete = "set null")]
    company: Ref<Company>,
    #[entity(on_delete = "ignore")]
    other: Option<Ref<Company>>,
}

fn main() {}
