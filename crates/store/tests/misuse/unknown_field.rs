use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    mail: String,
}

fn main() {
    let _ = Contact::find(|c| c.name.eq("x"));
}
