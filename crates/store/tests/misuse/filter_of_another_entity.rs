use loadstone_store::{Entity, Id};

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    mail: String,
}

#[derive(Entity)]
struct Company {
    id: Id<Company>,
    name: String,
}

fn main() {
    let _ = Contact::find(|_| Company::columns().name.eq("x"));
    let _ = Contact::find(|c| c.mail.eq("x").and(Company::columns().name.eq("x")));
    let _ = Contact::all().order(|_| Company::columns().name.ascending());
}
