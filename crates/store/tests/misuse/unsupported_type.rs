use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    born: std::time::SystemTime,
}

#[derive(Entity)]
struct Large {
    id: Id<Large>,
    count: u64,
}

fn main() {}
