//! The program, as people call it.

use std::path::PathBuf;
use std::process::{Command, Output};

fn stress(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stress")).args(words).output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("loadstone-stress-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn every_journal_gives_the_same_lines() {
    let folder = Folder::new("journals");
    for journal in ["wal", "delete", "persist", "memory"] {
        let db = format!("db={}/{journal}.db", folder.0.display());
        let words =
            ["sql", &db, &format!("journal={journal}"), "synchronous=off", "record=5000", "iterations=30"];
        let told = stress(&words);
        let lines = lines(&told);
        assert!(told.status.success() && lines.len() == 4, "{lines:?}");
        for (line, name, checks) in [(0, "sql-insert", 30), (1, "sql-update", 30), (2, "sql-delete", 60)] {
            let line = &lines[line];
            assert!(line.starts_with(&format!("{{\"name\":\"{name}\",\"db\":\"")), "{line}");
            assert!(
                line.contains(&format!("\"journal\":\"{journal}\",\"synchronous\":\"off\",\"record\":5000")),
                "{line}"
            );
            assert!(line.contains("\"iterations\":30,\"ns\":") && line.contains("\"write_ns\":"), "{line}");
            assert!(line.ends_with(&format!("\"checks\":{checks}}}")), "{line}");
        }
        assert_eq!(lines[3], r#"{"name":"done","lines":3}"#);
    }
}

#[test]
fn a_block_device_keeps_records_too() {
    let folder = Folder::new("device");
    let path = folder.0.join("disk");
    std::fs::File::create(&path).unwrap().set_len(8 << 20).unwrap();
    let db = format!("db=block:{}", path.display());
    for format in ["log", "journal"] {
        let told = stress(&["sql", &db, &format!("format={format}"), "record=5000", "iterations=30"]);
        let lines = lines(&told);
        let wanted = format!(
            "\"journal\":\"persist\",\"synchronous\":\"full\",\"format\":\"{format}\",\"record\":5000"
        );
        assert!(told.status.success() && lines.len() == 4 && lines[2].contains(&wanted), "{lines:?}");
    }
    assert!(
        stress(&["bulk", &db, "iterations=3"]).status.success(),
        "the records were deleted, the device is used again"
    );
    std::fs::write(&path, [0; 4096]).unwrap();
    let blank = stress(&["sql", &db]);
    assert_eq!(blank.status.code(), Some(3));
    assert!(lines(&blank)[0].contains("the device was not formatted for databases"), "{blank:?}");
}

#[test]
fn tasks_come_from_a_kernels_command_line_too() {
    let folder = Folder::new("words");
    let file = folder.0.join("cmdline");
    std::fs::write(&file, "console=ttyS0 stress.task=bulk stress.iterations=100 stress.record=0\n").unwrap();
    let told = stress(&[&format!("@{}", file.display())]);
    let lines = lines(&told);
    assert!(lines[0].contains("bulk-insert") && lines[1].contains("bulk-scan"), "{lines:?}");
    assert!(lines[1].ends_with("\"checks\":102}"), "{lines:?}");
}

#[test]
fn failures_have_a_line_and_a_code() {
    let folder = Folder::new("failures");
    let db = format!("db={}/x.db", folder.0.display());
    assert!(stress(&["bulk", &db, "iterations=3"]).status.success());
    for (words, code, message) in [
        (vec!["sql", &db], 2, "the database holds 3 records; it must be empty"),
        (vec!["sql", "journal=wall"], 2, "journal=wall: expected one of"),
        (vec!["@/no/such/file"], 2, "/no/such/file: No such file"),
        (vec!["sql", "db=/no/such/folder/x.db"], 3, "unable to open database file"),
        (vec!["sql", "journal=wal"], 3, "journal mode wal cannot be had here"),
    ] {
        let told = stress(&words);
        assert_eq!(told.status.code(), Some(code), "{words:?}");
        let lines = lines(&told);
        assert!(lines.len() == 1 && lines[0].contains(r#"{"name":"error","kind":""#), "{lines:?}");
        assert!(lines[0].contains(message), "{lines:?}");
    }
}
