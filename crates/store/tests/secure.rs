//! TLS to real servers: who is believed, who is refused, and in which words.
//!
//! Needs servers: `tests/parity/test_stores.py` starts them, and names their URLs without parameters and the
//! folder of certificates in `LOADSTONE_TEST_SECURE`.
#![cfg(all(feature = "postgres", feature = "mariadb"))]

use loadstone_store::{Db, Dialect, Options};

/// A server that takes TLS only, on 127.0.0.1 (of which its certificate is) and on 127.0.0.2.
struct Place {
    url: String,
    folder: String,
}

impl Place {
    fn all() -> Vec<Self> {
        let given = std::env::var("LOADSTONE_TEST_SECURE").expect("URLs of servers and a folder");
        let words: Vec<_> = given.split(' ').map(String::from).collect();
        let (folder, urls) = words.split_last().unwrap();
        assert_eq!(urls.len(), 2);
        urls.iter().map(|url| Self { url: url.clone(), folder: folder.clone() }).collect()
    }

    /// The URL with one of `modes` (PostgreSQL's word, MariaDB's) and the authority of a file.
    fn with(&self, modes: [&str; 2], authority: Option<&str>) -> String {
        let (mode, roots, word) = match Dialect::of(&self.url) {
            Dialect::Postgres => ("sslmode", "sslrootcert", modes[0]),
            _ => ("ssl-mode", "ssl-ca", modes[1]),
        };
        let file = authority.map(|name| format!("&{roots}={}/{name}", self.folder)).unwrap_or_default();
        format!("{}?{mode}={word}{file}", self.url)
    }
}

const CHECKED: [&str; 2] = ["verify-full", "VERIFY_IDENTITY"];
const AUTHORITY: [&str; 2] = ["verify-ca", "VERIFY_CA"];
const ENCRYPTED: [&str; 2] = ["require", "REQUIRED"];

/// The protocol, as the server has it.
fn protocol(db: &Db) -> String {
    let sql = match db.dialect() {
        Dialect::Postgres => "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
        _ => {
            "SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'Ssl_version'"
        }
    };
    db.query_row(sql, &[], |row| Ok(row.text(0)?.to_owned())).unwrap().unwrap()
}

fn refused(url: &str) -> String {
    Db::open(url, &Options::default()).err().unwrap_or_else(|| panic!("{url} was let in")).message
}

#[test]
#[ignore = "needs servers: tests/parity/test_stores.py"]
fn a_server_of_the_right_authority_is_believed_and_the_connection_encrypted() {
    for place in Place::all() {
        for (modes, file) in [(CHECKED, Some("ca.pem")), (AUTHORITY, Some("ca.pem")), (ENCRYPTED, None)] {
            let db = Db::open(&place.with(modes, file), &Options::default()).unwrap();
            assert!(protocol(&db).starts_with("TLSv1."), "{}", place.url);
        }
    }
}

#[test]
#[ignore = "needs servers: tests/parity/test_stores.py"]
fn texts_larger_than_a_record_come_back_as_they_went() {
    let long = "é\\'\"\n".repeat(100_000);
    for place in Place::all() {
        let db = Db::open(&place.with(CHECKED, Some("ca.pem")), &Options::default()).unwrap();
        let (make, give, take) = match db.dialect() {
            Dialect::Postgres => {
                ("CREATE TEMPORARY TABLE t (b TEXT)", "INSERT INTO t(b) VALUES (?1)", "SELECT b FROM t")
            }
            _ => ("CREATE TEMPORARY TABLE t (b LONGTEXT)", "INSERT INTO t(b) VALUES (?1)", "SELECT b FROM t"),
        };
        db.exec_batch(make).unwrap();
        db.execute(give, &[long.as_str().into()]).unwrap();
        assert_eq!(db.query_row(take, &[], |row| Ok(row.text(0)? == long)), Ok(Some(true)));
    }
}

#[test]
#[ignore = "needs servers: tests/parity/test_stores.py"]
fn a_server_of_another_authority_is_refused_by_name_of_the_file() {
    for place in Place::all() {
        for modes in [CHECKED, AUTHORITY, ENCRYPTED] {
            let why = refused(&place.with(modes, Some("self-signed.pem")));
            assert!(why.contains("127.0.0.1 port ") && why.contains("/self-signed.pem)"), "{why}");
            assert!(why.contains("the server's certificate is of an issuer that is not trusted"), "{why}");
        }
        let why = refused(&place.with(CHECKED, Some("ca.key")));
        assert!(why.contains("ca.key: there is no certificate in it"), "{why}");
    }
}

#[test]
#[ignore = "needs servers: tests/parity/test_stores.py"]
fn a_server_of_another_name_is_refused_where_names_count() {
    for place in Place::all() {
        let url = |modes| place.with(modes, Some("ca.pem")).replace("@127.0.0.1", "@127.0.0.2");
        let why = refused(&url(CHECKED));
        assert!(why.contains("the server's certificate is not for 127.0.0.2, but for"), "{why}");
        assert!(protocol(&Db::open(&url(AUTHORITY), &Options::default()).unwrap()).starts_with("TLSv1."));
    }
}

#[test]
#[ignore = "needs servers: tests/parity/test_stores.py"]
fn a_server_that_takes_tls_only_refuses_the_rest() {
    for place in Place::all() {
        let why = refused(&place.url);
        assert!(why.contains("no encryption") || why.contains("without TLS"), "{why}");
    }
}

#[test]
#[ignore = "needs servers: tests/parity/test_stores.py"]
fn a_server_without_tls_is_refused_by_who_wants_it() {
    let urls = std::env::var("LOADSTONE_TEST_DATABASES").expect("the URLs of servers, between blanks");
    for url in urls.split(' ') {
        let word =
            if Dialect::of(url) == Dialect::Postgres { "sslmode=require" } else { "ssl-mode=REQUIRED" };
        let why = refused(&format!("{url}?{word}"));
        assert!(why.contains("the server offers no TLS"), "{why}");
    }
}
