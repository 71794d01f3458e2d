use loadstone_store::{Entity, Id};

#[derive(Entity)]
enum Kind {
    One,
}

#[derive(Entity)]
struct Pair(i64, i64);

#[derive(Entity)]
struct Boxed<T> {
    id: Id<Boxed<T>>,
    value: T,
}

fn main() {}
