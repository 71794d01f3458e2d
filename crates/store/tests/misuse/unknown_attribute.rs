use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    #[entity(uniqe)]
    mail: String,
}

#[derive(Entity)]
#[entity(tabel = "company")]
struct Company {
    id: Id<Company>,
    name: String,
}

#[derive(Entity)]
#[entity(unique(name, town))]
struct Shop {
    id: Id<Shop>,
    #[entity(max = 5, max = 6)]
    name: String,
}

fn main() {}
