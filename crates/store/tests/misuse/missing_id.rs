use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    mail: String,
}

#[derive(Entity)]
struct Bare {
    id: Id<Bare>,
}

fn main() {}
