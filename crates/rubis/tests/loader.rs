//! The loader's rows against the laws they are drawn from.

use loadstone_rubis::loader::{self, DATABASE, LoadError, LoadOptions, Texts, create_in_memory};
use loadstone_rubis::schema::Meta;
use loadstone_store::{Db, Options};

/// A data set in memory.
fn loaded(vfs: &str, options: &LoadOptions) -> Db {
    let mut last = (0, 1);
    let counts = create_in_memory(vfs, options, &mut |done, of| last = (done, of)).expect("a data set");
    assert_eq!(last.0, last.1, "the last report is that all is done");
    let db = Db::open(DATABASE, &Options { vfs: Some(vfs.into()), ..Options::memory() }).expect("it opens");
    for (table, rows) in counts.tables() {
        assert_eq!(rows as i64, int(&db, count_of(table)), "{table}");
    }
    db
}

fn count_of(table: &str) -> &'static str {
    match table {
        "categories" => "SELECT count(*) FROM categories",
        "regions" => "SELECT count(*) FROM regions",
        "users" => "SELECT count(*) FROM users",
        "items" => "SELECT count(*) FROM items",
        "old_items" => "SELECT count(*) FROM old_items",
        "bids" => "SELECT count(*) FROM bids",
        "comments" => "SELECT count(*) FROM comments",
        _ => panic!("no table {table}"),
    }
}

fn int(db: &Db, sql: &'static str) -> i64 {
    db.query_row(sql, &[], |row| row.int(0)).expect("a query").expect("a row")
}

fn real(db: &Db, sql: &'static str) -> f64 {
    db.query_row(sql, &[], |row| row.real(0)).expect("a query").expect("a row")
}

/// Whether a mean of `n` draws is within five standard errors of its law's.
fn near(found: f64, mean: f64, deviation: f64, n: f64) {
    let allowed = 5.0 * deviation / n.sqrt();
    assert!((found - mean).abs() < allowed, "{found} is not {mean} ± {allowed}");
}

#[test]
fn sizes_follow_the_scale() {
    let meta = |scale| LoadOptions::new(scale).meta().expect("sizes");
    let Meta { users, items, old_items, categories, regions, .. } = meta(1.0);
    assert_eq!((users, items, old_items, categories, regions), (1_000_000, 32_667, 500_000, 20, 62));
    let Meta { users, items, old_items, categories, regions, .. } = meta(0.5);
    assert_eq!((users, items, old_items, categories, regions), (500_000, 16_334, 250_000, 10, 31));
    let Meta { users, items, old_items, categories, regions, .. } = meta(0.02);
    assert_eq!((users, items, old_items, categories, regions), (20_000, 653, 10_000, 5, 6));
    for scale in [0.0, 0.0009, 10.1, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(LoadOptions::new(scale).meta(), Err(LoadError::Invalid(_))), "{scale}");
    }
}

#[test]
fn rows_follow_the_laws() {
    let db = loaded("laws", &LoadOptions::new(0.01));
    let (old, n) = (5000.0, 5000.0 + 327.0);
    // Uniform on 0..=19: deviation sqrt((20² - 1) / 12).
    near(real(&db, "SELECT avg(nb_of_bids) FROM old_items"), 9.5, 5.77, old);
    assert_eq!(
        (
            int(&db, "SELECT min(nb_of_bids) FROM old_items"),
            int(&db, "SELECT max(nb_of_bids) FROM old_items")
        ),
        (0, 19)
    );
    near(real(&db, "SELECT avg(initial_price) FROM old_items") / 100.0, 2500.5, 1443.4, old);
    near(real(&db, "SELECT avg(end_date - start_date) FROM old_items") / 1440.0, 4.0, 2.0, old);
    near(real(&db, "SELECT avg(quantity = 1) FROM old_items"), 0.82, 0.39, old);
    near(real(&db, "SELECT avg(reserve_price > 0) FROM old_items"), 0.4, 0.49, old);
    near(real(&db, "SELECT avg(buy_now > 0) FROM old_items"), 0.1, 0.3, old);
    near(real(&db, "SELECT avg(length(description)) FROM old_items"), 3584.5, 2069.0, old);
    near(real(&db, "SELECT avg(length(comment)) FROM comments"), 1024.5, 591.2, n);
    assert!(int(&db, "SELECT max(length(description)) FROM old_items") <= 7168);
    for rating in ["-5", "-3", "0", "3", "5"] {
        let share = real(
            &db,
            match rating {
                "-5" => "SELECT avg(rating = -5) FROM comments",
                "-3" => "SELECT avg(rating = -3) FROM comments",
                "0" => "SELECT avg(rating = 0) FROM comments",
                "3" => "SELECT avg(rating = 3) FROM comments",
                _ => "SELECT avg(rating = 5) FROM comments",
            },
        );
        near(share, 0.2, 0.4, n);
    }
    assert_eq!(int(&db, "SELECT count(*) FROM comments"), 5327);
    assert_eq!(int(&db, "SELECT count(DISTINCT item_id) FROM comments"), 5327);
    assert_eq!(int(&db, "SELECT max(n) - min(n) FROM (SELECT count(*) AS n FROM users GROUP BY region)"), 1);
    assert_eq!(int(&db, "SELECT count(*) FROM users WHERE region <> id % 6 + 1"), 0);
}

#[test]
fn rows_agree_with_each_other() {
    let db = loaded("agree", &LoadOptions::new(0.002));
    for sql in [
        "SELECT count(*) FROM (SELECT * FROM items UNION ALL SELECT * FROM old_items) i \
         WHERE nb_of_bids <> (SELECT count(*) FROM bids WHERE item_id = i.id) \
         OR max_bid <> coalesce((SELECT max(bid) FROM bids WHERE item_id = i.id), 0)",
        "SELECT count(*) FROM users u \
         WHERE rating <> coalesce((SELECT sum(rating) FROM comments WHERE to_user_id = u.id), 0)",
        "SELECT count(*) FROM bids b JOIN old_items i ON i.id = b.item_id \
         WHERE b.user_id = i.seller OR b.bid <= i.initial_price OR b.max_bid < b.bid OR b.qty > i.quantity \
         OR b.date < i.start_date OR b.date >= i.end_date",
        "SELECT count(*) FROM comments c JOIN old_items i ON i.id = c.item_id \
         WHERE c.to_user_id <> i.seller OR c.from_user_id = i.seller",
        "SELECT count(*) FROM items i JOIN old_items o ON o.id = i.id",
        "SELECT count(*) FROM items WHERE end_date <= (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'base_minute')",
        "SELECT count(*) FROM old_items WHERE end_date > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'base_minute')",
        "SELECT count(*) FROM old_items WHERE reserve_price <> 0 AND reserve_price <= initial_price",
        "SELECT count(*) FROM old_items WHERE description LIKE ' %' OR description LIKE '% '",
    ] {
        assert_eq!(int(&db, sql), 0, "{sql}");
    }
    assert_eq!(int(&db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn equal_options_make_equal_rows_and_another_seed_others() {
    const SUM: &str = "SELECT sum(max_bid) + sum(length(description)) + sum(seller) FROM old_items";
    let options = LoadOptions::new(0.001);
    let first = int(&loaded("one", &options), SUM);
    assert_eq!(first, int(&loaded("two", &options), SUM));
    assert_ne!(first, int(&loaded("three", &LoadOptions { seed: 2, ..options.clone() }), SUM));
    let refused = create_in_memory("four", &LoadOptions { scale: 0.0, ..options }, &mut |_, _| {});
    assert!(matches!(refused, Err(LoadError::Invalid(_))));
}

#[test]
fn texts_of_words_keep_the_laws_and_leave_the_numbers() {
    let options = LoadOptions::new(0.01);
    let letters = loaded("letters", &options);
    let words = loaded("words", &LoadOptions { texts: Texts::Words, ..options });
    near(real(&words, "SELECT avg(length(description)) FROM old_items"), 3584.5, 2069.0, 5000.0);
    near(real(&words, "SELECT avg(length(comment)) FROM comments"), 1024.5, 591.2, 5327.0);
    for sql in [
        "SELECT sum(id * (initial_price + buy_now + end_date + seller + category + max_bid) % 65537) FROM old_items",
        "SELECT sum(id * (user_id + item_id + bid + max_bid + date) % 65537) FROM bids",
        "SELECT sum(id * (from_user_id + to_user_id + rating + 9) % 65537) FROM comments",
    ] {
        assert_eq!(int(&words, sql), int(&letters, sql), "{sql}");
    }
    for sql in [
        "SELECT count(*) FROM users WHERE nickname GLOB '*[^a-z_]*' OR length(nickname) > 20",
        "SELECT count(*) FROM old_items WHERE name GLOB '*[0-9]*' OR length(name) > 60",
        "SELECT count(*) FROM old_items WHERE description LIKE ' %' OR description LIKE '% '",
        "SELECT count(*) FROM old_items WHERE length(description) > 7168",
    ] {
        assert_eq!(int(&words, sql), 0, "{sql}");
    }
    assert_eq!(int(&letters, "SELECT count(*) FROM users WHERE nickname <> 'user' || id"), 0);
}

#[test]
fn a_folder_keeps_what_it_has() {
    let folder = std::env::temp_dir().join(format!("loadstone-rubis-{}", std::process::id()));
    let name = folder.to_str().expect("UTF-8");
    let options = LoadOptions::new(0.001);
    loader::create(name, &options, &mut |_, _| {}).expect("a data set");
    let again = loader::create(name, &options, &mut |_, _| {});
    assert!(
        matches!(&again, Err(LoadError::Exists(message)) if message.contains("rubis.db is there already"))
    );
    std::fs::remove_dir_all(&folder).expect("it goes");
}
