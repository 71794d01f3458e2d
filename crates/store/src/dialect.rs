//! What databases call the same things.
//!
//! The application writes SQLite's SQL. Where servers differ, its statements are translated once, when they
//! are prepared: placeholders, `INSERT OR IGNORE`, `CROSS JOIN`, `NULLS FIRST` and `LAST`, the table `user`,
//! and `LIKE`, which ignores the case of ASCII letters and of no others. Schemas are written per dialect.

/// The SQL of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite, in this process.
    Sqlite,
    /// PostgreSQL.
    Postgres,
    /// MariaDB, and MySQL as far as it agrees.
    MariaDb,
}

impl Dialect {
    /// The dialect of what a place names: a server by its URL, else a file.
    pub fn of(place: &str) -> Self {
        match place.split_once("://").map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => Self::Postgres,
            Some("mysql" | "mariadb") => Self::MariaDb,
            _ => Self::Sqlite,
        }
    }
}

#[cfg(feature = "mariadb")]
pub(crate) use translation::Translated;
#[cfg(feature = "servers")]
pub(crate) use translation::{head, translate};

#[cfg(feature = "servers")]
mod translation {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::Dialect;

    /// MariaDB's LOWER knows all of Unicode. Read as Hebrew, one of its character sets without upper and
    /// lower case, the bytes of a text keep all but the ASCII letters.
    const FOLD: (&str, &str) = ("LOWER(CONVERT(CAST(", " AS BINARY) USING hebrew))");

    /// A statement in a server's dialect.
    #[derive(Debug, PartialEq)]
    pub(crate) struct Translated {
        pub sql: String,
        /// Which parameter each placeholder takes, from 0. PostgreSQL's placeholders carry numbers: there it
        /// is every parameter once.
        pub order: Vec<usize>,
        /// It was an `INSERT OR IGNORE`: a row with a taken key is no error.
        pub ignores_taken: bool,
    }

    /// A statement of the application in a server's dialect.
    pub(crate) fn translate(sql: &str, dialect: Dialect) -> Translated {
        let mut out = Output { dialect, sql: String::with_capacity(sql.len() + 32), ..Output::default() };
        let mut rest = sql;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '\'' | '"' => 2 + rest[1..].find(first).unwrap_or(rest.len() - 2),
                '?' => 1 + digits(&rest[1..]),
                'a'..='z' | 'A'..='Z' | '_' => {
                    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                _ => first.len_utf8(),
            };
            let (token, tail) = rest.split_at(length);
            rest = tail;
            match first {
                '?' => out.placeholder(token[1..].parse().ok()),
                '\'' => out.value(token),
                '"' => out.name(token),
                'a'..='z' | 'A'..='Z' | '_' => rest = out.word(token, rest),
                _ => out.sql.push_str(token),
            }
        }
        out.finish()
    }

    /// The part of an INSERT before its rows.
    pub(crate) fn head(sql: &str, dialect: Dialect) -> String {
        translate(sql, dialect).sql
    }

    fn digits(text: &str) -> usize {
        text.bytes().take_while(u8::is_ascii_digit).count()
    }

    struct Output {
        dialect: Dialect,
        sql: String,
        order: Vec<usize>,
        /// The highest parameter so far.
        count: usize,
        /// Where the last word begins.
        word: usize,
        ignores_taken: bool,
        /// The next value is a pattern whose case is to be folded.
        folds: bool,
    }

    impl Default for Output {
        fn default() -> Self {
            Self {
                dialect: Dialect::Sqlite,
                sql: String::new(),
                order: Vec::new(),
                count: 0,
                word: 0,
                ignores_taken: false,
                folds: false,
            }
        }
    }

    impl Output {
        fn placeholder(&mut self, number: Option<usize>) {
            let number = number.unwrap_or(self.count + 1);
            self.count = self.count.max(number);
            if self.dialect == Dialect::Postgres {
                self.sql.push_str(&format!("${number}"));
                return;
            }
            self.order.push(number - 1);
            self.value("?");
        }

        fn value(&mut self, token: &str) {
            let (before, after) = if core::mem::take(&mut self.folds) { FOLD } else { ("", "") };
            self.sql.push_str(&format!("{before}{token}{after}"));
        }

        /// A name between quotes, which is no key word.
        fn name(&mut self, name: &str) {
            self.word = self.sql.len();
            self.sql.push_str(name);
        }

        /// Writes a word; what follows is `rest`, and what is left of it afterwards is returned.
        fn word<'r>(&mut self, word: &str, rest: &'r str) -> &'r str {
            let postgres = self.dialect == Dialect::Postgres;
            if word == "OR" && rest.starts_with(" IGNORE ") {
                self.ignores_taken = true;
                return &rest[" IGNORE ".len()..];
            }
            if word == "LIKE" && !postgres {
                let operand = self.sql.split_off(self.word);
                let (before, after) = FOLD;
                let operand = operand.trim_end();
                self.sql.push_str(&format!("{before}{operand}{after} COLLATE hebrew_bin LIKE"));
                self.folds = true;
                return rest;
            }
            self.word = self.sql.len();
            match word {
                "LIKE" => self.sql.push_str("ILIKE"),
                // A key word of PostgreSQL.
                "user" if postgres => self.sql.push_str("\"user\""),
                // MariaDB has no word for it, and knows no other place.
                "NULLS" if !postgres => {
                    let place = rest.trim_start_matches(" FIRST").trim_start_matches(" LAST");
                    self.sql.truncate(self.sql.trim_end().len());
                    return place;
                }
                // SQLite's way to fix the order of a join; PostgreSQL is told by `join_collapse_limit`.
                "CROSS" if rest.starts_with(" JOIN ") => {
                    self.sql.push_str(if postgres { "JOIN" } else { "STRAIGHT_JOIN" });
                    return &rest[" JOIN".len()..];
                }
                _ => self.sql.push_str(word),
            }
            rest
        }

        fn finish(mut self) -> Translated {
            if self.dialect == Dialect::Postgres {
                self.order = (0..self.count).collect();
                if self.ignores_taken {
                    self.sql.push_str(" ON CONFLICT DO NOTHING");
                }
            }
            Translated { sql: self.sql, order: self.order, ignores_taken: self.ignores_taken }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn both(sql: &str) -> (String, String, Vec<usize>) {
            let (postgres, mariadb) = (translate(sql, Dialect::Postgres), translate(sql, Dialect::MariaDb));
            (postgres.sql, mariadb.sql, mariadb.order)
        }

        #[test]
        fn placeholders_are_numbered_or_reordered() {
            let (postgres, mariadb, order) = both("UPDATE t SET a = ?2, b = ?2 WHERE c = ?1 AND d = '?''?3'");
            assert_eq!(postgres, "UPDATE t SET a = $2, b = $2 WHERE c = $1 AND d = '?''?3'");
            assert_eq!(mariadb, "UPDATE t SET a = ?, b = ? WHERE c = ? AND d = '?''?3'");
            assert_eq!(order, [1, 1, 0]);
            let (postgres, _, order) = both("INSERT INTO t VALUES (?, ?)");
            assert_eq!((postgres.as_str(), order), ("INSERT INTO t VALUES ($1, $2)", alloc::vec![0, 1]));
        }

        #[test]
        fn taken_keys_are_passed_over() {
            let sql = "INSERT OR IGNORE INTO tag(name) VALUES (?1)";
            let (postgres, mariadb, _) = both(sql);
            assert_eq!(postgres, "INSERT INTO tag(name) VALUES ($1) ON CONFLICT DO NOTHING");
            assert_eq!(mariadb, "INSERT INTO tag(name) VALUES (?)");
            assert!(translate(sql, Dialect::MariaDb).ignores_taken);
        }

        #[test]
        fn words_are_translated_and_only_whole_ones() {
            let (postgres, mariadb, _) = both("SELECT user_id FROM a CROSS JOIN user u ON u.id = 'user'");
            assert_eq!(postgres, "SELECT user_id FROM a JOIN \"user\" u ON u.id = 'user'");
            assert_eq!(mariadb, "SELECT user_id FROM a STRAIGHT_JOIN user u ON u.id = 'user'");
            let (postgres, mariadb, _) =
                both("SELECT 1 FROM \"user\" ORDER BY \"LIKE\" DESC NULLS LAST, \"id\"");
            assert_eq!(postgres, "SELECT 1 FROM \"user\" ORDER BY \"LIKE\" DESC NULLS LAST, \"id\"");
            assert_eq!(mariadb, "SELECT 1 FROM \"user\" ORDER BY \"LIKE\" DESC, \"id\"");
        }

        #[test]
        fn like_folds_ascii_letters() {
            let (postgres, mariadb, _) = both("SELECT 1 FROM t WHERE name LIKE ?1 ESCAPE '\\'");
            assert_eq!(postgres, "SELECT 1 FROM t WHERE name ILIKE $1 ESCAPE '\\'");
            assert_eq!(
                mariadb,
                "SELECT 1 FROM t WHERE LOWER(CONVERT(CAST(name AS BINARY) USING hebrew)) COLLATE hebrew_bin LIKE \
                 LOWER(CONVERT(CAST(? AS BINARY) USING hebrew)) ESCAPE '\\'"
            );
        }
    }
}
