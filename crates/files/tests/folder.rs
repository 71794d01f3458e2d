//! A folder on disk, asked by its handler: what is found, what is hidden, what is believed and for how long.

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use loadstone_files::{Files, Options};
use loadstone_http::{Body, Handler, Headers, Method, Request, Response, Service, format_date};

/// A folder that is gone with the test; every file in it was last changed a while ago.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let path = std::env::temp_dir().join(format!("loadstone-files-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.write_aged(name, content, 3600);
    }

    fn write_aged(&self, name: &str, content: impl AsRef<[u8]>, age_s: u64) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        age(&path, age_s);
    }

    fn serve(&self, valid: Duration) -> Client {
        let options = Options { valid, ..Options::default() };
        Client(Files::open(&self.0, &options).unwrap().handler().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn age(path: &Path, age_s: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(age_s)).unwrap();
}

struct Client(Box<dyn Handler>);

/// An answer with its content, wherever that was.
struct Answer {
    response: Response,
    content: Vec<u8>,
}

impl Answer {
    fn field(&self, name: &str) -> Option<&str> {
        self.response.get(name)
    }
}

impl Client {
    fn ask(&mut self, method: Method, target: &str, fields: &str) -> Answer {
        let mut response = Response::new();
        let request = Request { headers: Headers::new(fields.as_bytes()), ..Request::new(method, target) };
        self.0.handle(&request, &mut response);
        let content = match &response.body {
            Body::File(part) => {
                let mut content = vec![0; part.bytes];
                part.file.read_exact_at(&mut content, part.start).unwrap();
                content
            }
            body => body.as_slice().to_vec(),
        };
        Answer { response, content }
    }

    fn get(&mut self, target: &str) -> Answer {
        self.ask(Method::Get, target, "")
    }

    fn status(&mut self, target: &str) -> u16 {
        self.get(target).response.status
    }

    fn with(&mut self, target: &str, fields: &str) -> Answer {
        self.ask(Method::Get, target, fields)
    }
}

const FOR_EVER: Duration = Duration::from_secs(3600);

#[test]
fn files_and_directories_are_found() {
    let folder = Folder::new();
    folder.write("index.html", "home");
    folder.write("a b/index.html", "inner");
    folder.write("a b/style.css", "css");
    folder.write("data", "bytes");
    let mut client = folder.serve(FOR_EVER);
    for (target, content, media_type) in [
        ("/", "home", "text/html; charset=utf-8"),
        ("/index.html", "home", "text/html; charset=utf-8"),
        ("/a%20b/", "inner", "text/html; charset=utf-8"),
        ("/a%20b/style.css?v=2", "css", "text/css; charset=utf-8"),
        ("/data", "bytes", "application/octet-stream"),
        ("http://host/data", "bytes", "application/octet-stream"),
    ] {
        let answer = client.get(target);
        assert_eq!(
            (answer.response.status, answer.content.as_slice()),
            (200, content.as_bytes()),
            "{target}"
        );
        assert_eq!(answer.field("content-type"), Some(media_type), "{target}");
    }
    let moved = client.get("/a%20b?q=1");
    assert_eq!((moved.response.status, moved.field("location")), (301, Some("/a%20b/?q=1")));
    assert_eq!([client.status("/none"), client.status("/data/"), client.status("/data/x")], [404; 3]);
    let refused = client.ask(Method::Post, "/data", "");
    assert_eq!((refused.response.status, refused.field("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn nothing_outside_or_hidden_is_reached() {
    let (outside, folder) = (Folder::new(), Folder::new());
    outside.write("secret", "secret");
    folder.write("sub/public", "public");
    folder.write(".hidden", "hidden");
    folder.write(".git/config", "hidden");
    folder.write("sub/..double", "hidden");
    symlink(outside.path("secret"), folder.path("absolute")).unwrap();
    symlink(Path::new("..").join(outside.0.file_name().unwrap()), folder.path("away")).unwrap();
    symlink("sub/public", folder.path("inside")).unwrap();
    symlink("../sub", folder.path("sub/up")).unwrap();
    symlink("round", folder.path("round")).unwrap();
    symlink("/proc/self/root/etc", folder.path("magic")).unwrap();
    let pipe = folder.path("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
    let mut client = folder.serve(FOR_EVER);
    let outside_name = outside.0.file_name().unwrap().to_str().unwrap();
    for target in [
        "/absolute",
        "/away/secret",
        "/away/",
        "/round",
        "/magic/passwd",
        "/pipe",
        "/.hidden",
        "/.git/config",
        "/sub/..double",
        "/%2ehidden",
        "/sub/../sub/public",
        "/sub/%2e%2e/sub/public",
        "/sub%2fpublic",
        "//sub/public",
        "/sub/public%00.html",
        &format!("/../{outside_name}/secret"),
        &format!("/sub/..%2f..%2f{outside_name}/secret"),
        &format!("/{}", "x".repeat(300)),
        &format!("/{}x", "x/".repeat(3000)),
    ] {
        assert_eq!(client.status(target), 404, "{target}");
    }
    assert_eq!([client.status("*"), client.status("/%zz")], [400; 2]);
    assert_eq!(client.get("/inside").content, b"public");
    assert_eq!(client.get("/sub/up/public").content, b"public");
}

#[test]
fn conditions_are_judged() {
    let folder = Folder::new();
    folder.write("page.html", "page");
    let mut client = folder.serve(FOR_EVER);
    let first = client.get("/page.html");
    let (tag, date) = (first.field("etag").unwrap(), first.field("last-modified").unwrap());
    assert!(tag.starts_with('"'));
    for (fields, status) in [
        (format!("If-None-Match: {tag}\r\n"), 304),
        (format!("If-None-Match: \"x\", W/{tag}\r\n"), 304),
        ("If-None-Match: \"x\"\r\n".into(), 200),
        (format!("If-Modified-Since: {date}\r\n"), 304),
        (format!("If-Modified-Since: {date}\r\nIf-None-Match: \"x\"\r\n"), 200),
        (format!("If-Match: {tag}\r\n"), 200),
        ("If-Match: \"x\"\r\n".into(), 412),
        (format!("If-Unmodified-Since: {date}\r\n"), 200),
        ("If-Unmodified-Since: Thu, 01 Jan 1998 00:00:00 GMT\r\n".into(), 412),
        (format!("If-Range: {tag}\r\nRange: bytes=1-\r\n"), 206),
        (format!("If-Range: {date}\r\nRange: bytes=1-\r\n"), 206),
        ("If-Range: \"x\"\r\nRange: bytes=1-\r\n".into(), 200),
        (format!("If-None-Match: {tag}\r\nRange: bytes=1-\r\n"), 304),
    ] {
        let answer = client.with("/page.html", &fields);
        assert_eq!(answer.response.status, status, "{fields}");
        assert_eq!(answer.field("etag"), Some(tag));
        assert_eq!(answer.content.is_empty(), status == 304, "{fields}");
    }
}

#[test]
fn parts_are_given_of_kept_and_of_open_files() {
    let folder = Folder::new();
    let content: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    folder.write("open.bin", &content);
    folder.write("kept.bin", &content[..1000]);
    folder.write("empty.bin", "");
    let mut client = folder.serve(FOR_EVER);
    for (name, length) in [("/open.bin", content.len()), ("/kept.bin", 1000)] {
        let part = client.with(name, "Range: bytes=10-19\r\n");
        assert_eq!((part.response.status, part.content.as_slice()), (206, &content[10..20]));
        assert_eq!(part.field("content-range"), Some(format!("bytes 10-19/{length}").as_str()));
        let last = client.with(name, "Range: bytes=-5\r\n");
        assert_eq!(last.content, content[length - 5..length]);
        let beyond = client.with(name, "Range: bytes=99999999-\r\n");
        assert_eq!(
            (beyond.response.status, beyond.field("content-range")),
            (416, Some(&*format!("bytes */{length}")))
        );
        let several = client.with(name, "Range: bytes=0-3,100-103,-2\r\n");
        assert_eq!(several.response.status, 206);
        let boundary =
            several.field("content-type").unwrap().strip_prefix("multipart/byteranges; boundary=").unwrap();
        let expected: Vec<u8> = [(0, 4), (100, 104), (length - 2, length)]
            .iter()
            .flat_map(|&(from, to)| {
                let head = format!(
                    "\r\n--{boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes {from}-{}/{length}\r\n\r\n",
                    to - 1
                );
                [head.as_bytes(), &content[from..to]].concat()
            })
            .chain(format!("\r\n--{boundary}--\r\n").into_bytes())
            .collect();
        assert_eq!(several.content, expected);
        let attack = format!("Range: bytes={}\r\n", "0-,".repeat(2000));
        assert_eq!(client.with(name, &attack).response.status, 200);
        assert_eq!(client.ask(Method::Head, name, "Range: bytes=1-2\r\n").response.status, 200);
    }
    // More than fits the memory that an answer in several parts may take.
    folder.write("large.bin", vec![7; 3 << 20]);
    let whole = client.with("/large.bin", "Range: bytes=0-1500000,1500001-\r\n");
    assert_eq!((whole.response.status, whole.response.body.len()), (200, 3 << 20));
    assert_eq!(client.with("/empty.bin", "Range: bytes=0-\r\n").response.status, 200);
}

#[test]
fn what_was_compressed_beforehand_is_sent_to_those_who_take_it() {
    let folder = Folder::new();
    folder.write("a.css", "plain");
    folder.write("a.css.gz", "packed");
    folder.write("old.css", "plain");
    folder.write_aged("old.css.gz", "packed", 7200);
    let mut client = folder.serve(FOR_EVER);
    let (packed, plain) = (client.with("/a.css", "Accept-Encoding: gzip\r\n"), client.get("/a.css"));
    assert_eq!((packed.content.as_slice(), plain.content.as_slice()), (&b"packed"[..], &b"plain"[..]));
    assert_eq!((packed.field("content-encoding"), plain.field("content-encoding")), (Some("gzip"), None));
    assert_eq!([packed.field("vary"), plain.field("vary")], [Some("Accept-Encoding"); 2]);
    assert_eq!(packed.field("content-type"), plain.field("content-type"));
    assert_ne!(packed.field("etag"), plain.field("etag"));
    let known = format!("Accept-Encoding: gzip\r\nIf-None-Match: {}\r\n", packed.field("etag").unwrap());
    assert_eq!(client.with("/a.css", &known).response.status, 304);
    let part = client.with("/a.css", "Accept-Encoding: gzip\r\nRange: bytes=1-2\r\n");
    assert_eq!((part.content.as_slice(), part.field("content-encoding")), (&b"la"[..], None));
    let old = client.with("/old.css", "Accept-Encoding: gzip\r\n");
    assert_eq!((old.content.as_slice(), old.field("vary")), (&b"plain"[..], None));
}

#[test]
fn a_change_is_seen_when_the_entry_is_no_longer_valid() {
    let folder = Folder::new();
    folder.write("page", "old content");
    let (mut lasting, mut brief) = (folder.serve(FOR_EVER), folder.serve(Duration::ZERO));
    let before = (lasting.get("/page"), brief.get("/page"));
    // The same length, and the time put back: only the time of the change of the file's record tells.
    let modified = fs::metadata(folder.path("page")).unwrap().modified().unwrap();
    fs::write(folder.path("page"), "new content").unwrap();
    fs::File::options().write(true).open(folder.path("page")).unwrap().set_modified(modified).unwrap();
    assert_eq!(lasting.get("/page").content, before.0.content);
    assert_eq!(brief.get("/page").content, b"new content");
    folder.write_aged("page.gz", "packed", 60);
    assert_eq!(brief.with("/page", "Accept-Encoding: gzip\r\n").content, b"packed");
    fs::remove_file(folder.path("page.gz")).unwrap();
    assert_eq!(brief.with("/page", "Accept-Encoding: gzip\r\n").content, b"new content");
    fs::remove_file(folder.path("page")).unwrap();
    assert_eq!([brief.status("/page"), lasting.status("/page")], [404, 200]);
}

#[test]
fn a_file_that_may_still_change_is_not_kept_and_has_a_weak_tag() {
    let folder = Folder::new();
    let mut client = folder.serve(FOR_EVER);
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    let young = loop {
        let began = Instant::now();
        fs::write(folder.path("page"), "one").unwrap();
        let (young, _) = (client.get("/page"), fs::write(folder.path("page"), "two").unwrap());
        let second = client.get("/page");
        // A machine that stood still in between has made the file old enough to be kept: once more.
        if began.elapsed() < Duration::from_millis(900) {
            assert_eq!((young.content.as_slice(), second.content.as_slice()), (&b"one"[..], &b"two"[..]));
            break young;
        }
        client = folder.serve(FOR_EVER);
    };
    assert!(young.field("etag").unwrap().starts_with("W/"));
    // One from the future does not change any more than others do.
    fs::File::options().write(true).open(folder.path("page")).unwrap().set_modified(tomorrow).unwrap();
    let answer = client.get("/page");
    assert!(answer.field("etag").unwrap().starts_with('"'));
    assert_eq!(
        answer.field("last-modified").unwrap().as_bytes(),
        format_date(tomorrow.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs())
    );
}

#[test]
fn a_large_tree_takes_a_bounded_number_of_files_and_bytes() {
    let folder = Folder::new();
    for number in 0..200 {
        folder.write(&format!("{}/{number}.bin", number % 7), vec![number as u8; 300_000]);
        folder.write(&format!("{}/{number}.txt", number % 7), number.to_string());
    }
    let options = Options { cache_bytes: 1 << 20, valid: FOR_EVER };
    let files = Files::open(&folder.0, &options).unwrap();
    let mut client = Client(files.handler().unwrap());
    for _ in 0..2 {
        for number in 0..200 {
            let large = client.get(&format!("/{}/{number}.bin", number % 7));
            assert!(large.content.len() == 300_000 && large.content.iter().all(|&byte| byte == number as u8));
            assert_eq!(
                client.get(&format!("/{}/{number}.txt", number % 7)).content,
                number.to_string().as_bytes()
            );
        }
    }
    let open =
        fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let ours = open.filter(|target| target.starts_with(&folder.0) && target.extension().is_some()).count();
    assert_eq!(files.open_files(), 16);
    assert!((1..=16).contains(&ours), "{ours} files are open, each counting as 64 KiB of 1 MiB");
    let mut nothing_kept = Client(
        Files::open(&folder.0, &Options { cache_bytes: 0, valid: FOR_EVER }).unwrap().handler().unwrap(),
    );
    assert_eq!(nothing_kept.get("/1/1.txt").content, b"1");
}

#[test]
fn a_file_of_a_quarter_of_a_mebibyte_leaves_from_memory_and_a_larger_one_from_the_disk() {
    let folder = Folder::new();
    for (name, bytes, on_disk) in [("kept", 256 << 10, false), ("open", (256 << 10) + 1, true)] {
        folder.write(name, vec![b'x'; bytes]);
        let answer = folder.serve(FOR_EVER).get(&format!("/{name}"));
        assert_eq!((matches!(answer.response.body, Body::File(_)), answer.content.len()), (on_disk, bytes));
    }
}

#[test]
fn what_the_server_may_not_read_is_forbidden() {
    let folder = Folder::new();
    folder.write("page", "page");
    fs::set_permissions(folder.path("page"), fs::Permissions::from_mode(0o000)).unwrap();
    // Nothing is forbidden to root.
    let expected = if rustix::process::geteuid().is_root() { 200 } else { 403 };
    assert_eq!(folder.serve(FOR_EVER).status("/page"), expected);
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = Folder::new();
    folder.write("file", "");
    let open = |name| Files::open(&folder.path(name), &Options::default());
    assert!(open("none").is_err() && open("file").is_err());
}
