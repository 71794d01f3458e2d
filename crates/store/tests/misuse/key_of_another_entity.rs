use loadstone_store::{Db, Entity, Id, Ref};

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

fn load(db: &Db, company: Ref<Company>) {
    let _ = Contact::get(db, company);
    let _ = Contact::find(|c| c.id.eq(company));
    let _ = company.many(Contact::columns().mail);
}

fn main() {}
