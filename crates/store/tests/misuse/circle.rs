use loadstone_store::{Db, Entity, Id, Ref};

#[derive(Entity)]
struct Hen {
    id: Id<Hen>,
    egg: Ref<Egg>,
}

#[derive(Entity)]
struct Egg {
    id: Id<Egg>,
    hen: Ref<Hen>,
}

fn open(db: &Db) {
    let _ = Hen::open(db);
}

fn main() {}
