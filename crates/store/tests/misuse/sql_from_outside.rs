use loadstone_store::Db;

fn ask(db: &Db, name: &str) {
    let sql = format!("DELETE FROM contact WHERE name = '{name}'");
    let _ = db.execute(&sql, &[]);
}

fn main() {}
