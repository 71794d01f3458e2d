use loadstone_store::{Entity, Id, Ref};

struct Company;

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    company: Ref<Company>,
}

fn main() {}
