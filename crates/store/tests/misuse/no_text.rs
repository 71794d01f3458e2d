use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    age: i64,
}

fn main() {
    let _ = Contact::find(|c| c.age.contains("3"));
    let _ = Contact::find(|c| c.age.is_none());
    let _ = Contact::find(|c| c.id.gt(loadstone_store::Ref::new(3)));
}
