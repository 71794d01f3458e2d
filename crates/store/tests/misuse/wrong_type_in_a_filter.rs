use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    mail: String,
    age: Option<i64>,
}

fn main() {
    let _ = Contact::find(|c| c.age.gt("old"));
    let _ = Contact::find(|c| c.mail.eq(3));
}
