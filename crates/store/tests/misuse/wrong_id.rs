use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: i64,
    mail: String,
}

#[derive(Entity)]
struct Company {
    id: Id<Contact>,
    name: String,
}

fn main() {}
