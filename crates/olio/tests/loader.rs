//! The loader against its laws: cardinalities, distributions, determinism, and what an interruption leaves.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use loadstone_olio::loader::{self, Counts, DATABASE, LoadError, LoadOptions, Profile};
use loadstone_olio::password::verify;
use loadstone_olio::schema::Meta;
use loadstone_stats::{Era, username};
use loadstone_store::{Db, Options};

const ACCOUNTS: u64 = 1000;

/// A data set in memory and its counts.
fn load(options: &LoadOptions) -> (Db, Counts) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let vfs = format!("loader-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let counts = loader::create_in_memory(&vfs, options, &mut |_, _| {}).unwrap();
    (Db::open(DATABASE, &Options { vfs: Some(vfs), ..Options::memory() }).unwrap(), counts)
}

/// The vfs of one data set that the read-only tests share.
fn shared() -> Db {
    static LOADED: OnceLock<()> = OnceLock::new();
    let vfs = "loader-shared";
    LOADED.get_or_init(|| {
        let options = LoadOptions::new(ACCOUNTS, Profile::Cloudstone2008);
        loader::create_in_memory(vfs, &options, &mut |_, _| {}).unwrap();
    });
    Db::open(DATABASE, &Options { vfs: Some(vfs.into()), ..Options::memory() }).unwrap()
}

fn int(db: &Db, sql: &'static str) -> i64 {
    db.query_row(sql, &[], |row| row.int(0)).unwrap().unwrap()
}

fn real(db: &Db, sql: &'static str) -> f64 {
    db.query_row(sql, &[], |row| row.real(0)).unwrap().unwrap()
}

/// Whether `measured` is within five standard errors of the mean of `n` uniform integers in `low..=high`.
fn assert_uniform_mean(measured: f64, low: f64, high: f64, n: f64) {
    let width = high - low + 1.0;
    let error = ((width * width - 1.0) / 12.0 / n).sqrt();
    assert!((measured - (low + high) / 2.0).abs() < 5.0 * error, "{measured} of {low}..{high}, {n} draws");
}

#[test]
fn tags_and_events_follow_the_formula() {
    for (accounts, tags, events) in
        [(10_000, 2311, 6933), (250, 62, 186), (1000, 250, 750), (100_000, 5000, 15_000)]
    {
        let options = LoadOptions::new(accounts, Profile::Olio02);
        assert_eq!((options.tags(), options.events()), (tags, events), "{accounts} accounts");
    }
    assert_eq!((Profile::Cloudstone2008.accounts_per_user(), Profile::Olio02.accounts_per_user()), (10, 100));
}

#[test]
fn rows_are_what_the_laws_say() {
    let db = shared();
    let events = int(&db, "SELECT count(*) FROM event") as f64;
    assert_eq!(int(&db, "SELECT count(*) FROM user"), 1000);
    assert_eq!(int(&db, "SELECT count(*) FROM address"), 1000);
    assert_eq!(int(&db, "SELECT count(*) FROM tag"), 250);
    assert_eq!(int(&db, "SELECT count(*) FROM event"), 750);
    let tables = [
        ("SELECT count(*) FROM event_tag", 1.0, 7.0, events),
        ("SELECT count(*) FROM attendance", 10.0, 100.0, events),
        ("SELECT count(*) FROM comment", 0.0, 20.0, events),
        ("SELECT count(*) FROM friendship", 2.0, 28.0, 1000.0),
    ];
    for (sql, low, high, n) in tables {
        assert_uniform_mean(int(&db, sql) as f64 / n, low, high, n);
    }
    let bounds: [(&'static str, i64, i64); 4] = [
        ("SELECT min(n) * 1000 + max(n) FROM (SELECT count(*) n FROM event_tag GROUP BY event_id)", 1, 7),
        ("SELECT min(n) * 1000 + max(n) FROM (SELECT count(*) n FROM attendance GROUP BY event_id)", 10, 100),
        ("SELECT min(n) * 1000 + max(n) FROM (SELECT count(*) n FROM friendship GROUP BY user_id)", 2, 28),
        ("SELECT min(rating) * 1000 + max(rating) FROM comment", 2, 5),
    ];
    for (sql, low, high) in bounds {
        assert_eq!(int(&db, sql), low * 1000 + high, "{sql}");
    }
}

#[test]
fn references_hold_and_the_file_is_sound() {
    let db = shared();
    assert_eq!(db.query_row("PRAGMA foreign_key_check", &[], |_| Ok(())), Ok(None));
    let check = db.query_row("PRAGMA integrity_check", &[], |row| Ok(row.text(0)?.to_owned()));
    assert_eq!(check, Ok(Some("ok".to_owned())));
    let wrong = int(
        &db,
        "SELECT count(*) FROM tag WHERE refcount <> (SELECT count(*) FROM event_tag WHERE tag_id = tag.id)",
    );
    assert_eq!(wrong, 0);
    assert_eq!(int(&db, "SELECT count(*) FROM friendship WHERE user_id = friend_id"), 0);
    let accepted = real(&db, "SELECT avg(accepted) FROM friendship");
    assert!((0.45..0.5).contains(&accepted), "every second one, the first not: {accepted}");
}

#[test]
fn tags_are_popular_by_the_exponential_law() {
    // P(rank < r) = (1 - e^(-10 r / T)) / (1 - e^-10); distinct tags of one event flatten the top, so the
    // bounds are wide where that matters: the first tenth would hold 63 % of draws with repetition.
    let db = shared();
    let first_tenth = real(&db, "SELECT avg(tag_id <= 25) FROM event_tag");
    assert!((0.58..0.64).contains(&first_tenth), "{first_tenth}");
    let half = real(&db, "SELECT avg(tag_id <= 125) FROM event_tag");
    assert!((0.985..0.998).contains(&half), "{half}");
}

#[test]
fn fields_keep_their_limits() {
    let db = shared();
    let rules = [
        "SELECT count(*) FROM event WHERE length(title) NOT BETWEEN 15 AND 20",
        "SELECT count(*) FROM event WHERE length(summary) NOT BETWEEN 50 AND 90",
        "SELECT count(*) FROM event WHERE length(description) NOT BETWEEN 50 AND 495",
        "SELECT count(*) FROM event WHERE event_date NOT BETWEEN 14174 AND 14174 + 540",
        "SELECT count(*) FROM event WHERE event_timestamp / 1440 <> event_date",
        "SELECT count(*) FROM event WHERE event_timestamp % 1440 / 60 NOT BETWEEN 7 AND 21",
        "SELECT count(*) FROM event WHERE event_timestamp % 15 <> 0",
        "SELECT count(*) FROM event WHERE created_at NOT BETWEEN (14174 - 540) * 1440 AND 14174 * 1440",
        "SELECT count(*) FROM comment WHERE length(comment) NOT BETWEEN 10 AND 1000",
        "SELECT count(*) FROM (SELECT 1 FROM comment GROUP BY event_id HAVING min(created_at) < max(created_at))",
        "SELECT count(*) FROM user WHERE length(summary) NOT BETWEEN 250 AND 2500",
        "SELECT count(*) FROM user WHERE length(firstname) NOT BETWEEN 2 AND 12 OR length(lastname) NOT BETWEEN 5 AND 15",
        "SELECT count(*) FROM user WHERE email NOT LIKE lower(firstname || '_' || lastname) || '@%.com'",
        "SELECT count(*) FROM user WHERE length(telephone) NOT BETWEEN 7 AND 20",
        "SELECT count(*) FROM address WHERE abs(latitude) > 66.560556 OR abs(longitude) > 180",
        "SELECT count(*) FROM address WHERE length(zip) <> 5 OR length(state) <> 2 OR street1 <> trim(street1)",
        "SELECT count(*) FROM address WHERE length(city) NOT BETWEEN 4 AND 14",
    ];
    for rule in rules {
        assert_eq!(int(&db, rule), 0, "{rule}");
    }
    let usa = real(&db, "SELECT avg(country = 'USA') FROM address");
    let second = real(&db, "SELECT avg(street2 IS NOT NULL) FROM address");
    let error = 5.0 * (0.25_f64 / 1000.0).sqrt();
    assert!((usa - 0.5).abs() < error && (second - 0.5).abs() < error, "{usa}, {second}");
}

#[test]
fn accounts_log_in_with_their_number() {
    let db = shared();
    for id in [1, 77, 1000] {
        let sql = "SELECT username, password FROM user WHERE id = ?";
        let found = db.query_row(sql, &[id.into()], |row| {
            Ok(row.text(0)? == username(id as u64, Era::Release) && verify(row.text(1)?, &id.to_string()))
        });
        assert_eq!(found, Ok(Some(true)));
    }
}

#[test]
fn the_data_set_describes_itself() {
    let meta = Meta::read(&shared()).unwrap();
    assert_eq!((meta.accounts, meta.events, meta.tags, meta.base_day.0), (1000, 750, 250, 14_174));
    assert_eq!((meta.profile.as_str(), meta.seed, meta.media_scale_ppm), ("cloudstone-2008", 1, 1_000_000));
}

#[test]
fn a_profile_of_words_has_the_rows_and_sizes_of_the_others() {
    let words = LoadOptions { names: Era::Words, ..LoadOptions::new(300, Profile::Loadstone2026) };
    let (db, counts) = load(&words);
    let (letters, same) = load(&LoadOptions::new(300, Profile::Cloudstone2008));
    // How many there are is drawn before any text.
    assert_eq!(counts, same);
    for sql in [
        "SELECT avg(length(summary)) FROM user",
        "SELECT avg(length(summary)) FROM event",
        "SELECT avg(length(description)) FROM event",
        "SELECT avg(length(comment)) FROM comment",
    ] {
        let (here, there) = (real(&db, sql), real(&letters, sql));
        assert!((here / there - 1.0).abs() < 0.1, "{sql}: {here} beside {there}");
    }
    let rules = [
        "SELECT count(*) FROM event WHERE length(title) NOT BETWEEN 8 AND 60 OR title GLOB '*[^A-Za-z0-9'' .,:-]*'",
        "SELECT count(*) FROM event WHERE length(summary) NOT BETWEEN 50 AND 90 OR summary NOT LIKE '% %'",
        "SELECT count(*) FROM comment WHERE length(comment) NOT BETWEEN 10 AND 1000",
        "SELECT count(*) FROM user WHERE length(summary) NOT BETWEEN 250 AND 2500",
        "SELECT count(*) FROM user WHERE email NOT LIKE lower(firstname || '_' || lastname) || '@%.example'",
        "SELECT count(*) FROM user u WHERE username GLOB '*[^a-z_]*'",
        "SELECT count(*) FROM tag WHERE name GLOB '*[^a-z_]*'",
    ];
    for rule in rules {
        assert_eq!(int(&db, rule), 0, "{rule}");
    }
    assert!(int(&db, "SELECT count(DISTINCT title) FROM event") * 10 > counts.event as i64 * 7);
    assert_eq!(Meta::read(&db).unwrap().profile, "loadstone-2026");
}

#[test]
fn the_same_seed_gives_the_same_rows_and_another_does_not() {
    for profile in [Profile::Olio02, Profile::Loadstone2026] {
        seeds_make_the_rows(profile);
    }
}

fn seeds_make_the_rows(profile: Profile) {
    let digest = |seed: u64| -> Vec<String> {
        let (db, _) = load(&LoadOptions { seed, ..LoadOptions::new(100, profile) });
        let mut rows = Vec::new();
        for sql in [
            "SELECT format('%s %s %s', id, latitude, street1) FROM address",
            "SELECT format('%s %s %s %s', id, password, summary, address_id) FROM user",
            "SELECT format('%s %s %s', id, title, event_timestamp) FROM event",
            "SELECT format('%s %s', event_id, user_id) FROM attendance",
            "SELECT format('%s %s', event_id, tag_id) FROM event_tag",
            "SELECT format('%s %s', id, comment) FROM comment",
            "SELECT format('%s %s %s', user_id, friend_id, accepted) FROM friendship",
        ] {
            rows.extend(db.query_all(sql, &[], |row| Ok(row.text(0)?.to_owned())).unwrap());
        }
        rows
    };
    let first = digest(1);
    assert_eq!(first, digest(1));
    let same = first.iter().zip(&digest(2)).filter(|(a, b)| a == b).count();
    assert!(same * 20 < first.len(), "{same} of {} rows are the same", first.len());
}

#[test]
fn minimal_indexes_leave_only_keys() {
    let options = LoadOptions { minimal_indexes: true, ..LoadOptions::new(100, Profile::Olio02) };
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
    assert_eq!(int(&load(&options).0, sql), 0);
    assert!(int(&shared(), sql) > 8);
}

#[test]
fn options_out_of_range_are_refused() {
    let few = LoadOptions::new(99, Profile::Olio02);
    let tiny = LoadOptions { media_scale: 0.0, ..LoadOptions::new(100, Profile::Olio02) };
    for (options, word) in [(few, "99 accounts"), (tiny, "media scale")] {
        let refused = loader::create_in_memory(&format!("refused {word}"), &options, &mut |_, _| {});
        assert!(
            matches!(&refused, Err(LoadError::Invalid(message)) if message.contains(word)),
            "{refused:?}"
        );
    }
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("loadstone-{name}-{}", std::process::id())))
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn a_folder_is_made_whole_and_never_overwritten() {
    let folder = Folder::new("create");
    let path = folder.0.to_str().unwrap();
    let options = LoadOptions::new(100, Profile::Olio02);
    let mut reports = Vec::new();
    let counts = loader::create(path, &options, &mut |done, total| reports.push((done, total))).unwrap();
    assert_eq!(folder.names(), ["olio.db", "uploads"]);
    assert_eq!(counts, load(&options).1);
    assert_eq!(counts.total(), counts.tables().iter().map(|(_, rows)| rows).sum::<u64>());
    assert!(reports.is_sorted() && reports.last().is_some_and(|(done, total)| done == total), "{reports:?}");
    let again = loader::create(path, &options, &mut |_, _| {});
    assert!(
        matches!(&again, Err(LoadError::Exists(message)) if message.contains("olio.db is there already"))
    );
}

#[test]
fn an_interrupted_load_leaves_no_data_set() {
    let folder = Folder::new("interrupted");
    let path = folder.0.to_str().unwrap();
    let options = LoadOptions::new(300, Profile::Olio02);
    let interrupted =
        std::panic::catch_unwind(|| loader::create(path, &options, &mut |_, _| panic!("interrupted")));
    assert!(interrupted.is_err());
    assert!(!folder.names().contains(&DATABASE.to_owned()));
    loader::create(path, &options, &mut |_, _| {}).unwrap();
    assert_eq!(folder.names(), ["olio.db", "uploads"]);
}

#[test]
#[ignore = "ten thousand accounts: run with --release -- --ignored"]
fn ten_thousand_accounts_match_the_published_table() {
    let (_, counts) = load(&LoadOptions::new(10_000, Profile::Olio02));
    assert_eq!((counts.user, counts.tag, counts.event), (10_000, 2311, 6933));
    // The published table gives means: 150,000; 381,315; 27,732; 69,330; 657,621 in all.
    let total = counts.total() as f64;
    assert!((total - 657_621.0).abs() < 657_621.0 * 0.01, "{counts:?}");
}
