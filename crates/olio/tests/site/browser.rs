//! A small browser: cookies, forms and redirects, but no sockets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loadstone_http::{Handler, Headers, Method, MultipartWriter, Request, Response, Service, SetCookie};
use loadstone_olio::host::{Host, MemoryHost, SharedHost};
use loadstone_olio::loader::{DATABASE, LoadOptions, Profile, create_in_memory, create_shared};
use loadstone_olio::{CacheLevel, Olio, Options};
use loadstone_stats::{Era, username};
use loadstone_store::{Db, Dialect};

use crate::markup;
use crate::surroundings::Surroundings;

/// Accounts of the data set; a hundred is the fewest that the loader makes.
pub const ACCOUNTS: i64 = 100;

/// The URL of a database on a server, in the environment: then every site is on a database beside it.
const SERVER: &str = "LOADSTONE_TEST_DATABASE";

/// A site on a data set of its own, and a connection for looking behind the pages.
pub struct World {
    pub site: Olio,
    pub db: Db,
    pub surroundings: Arc<Surroundings>,
    /// Where the data set is when it is on a server; it goes with the world.
    on_server: Option<OnServer>,
}

impl World {
    /// A fresh data set: 100 accounts, 25 tags, 75 events.
    pub fn new(cache: CacheLevel) -> Self {
        Self::with(|options| options.cache = cache)
    }

    /// A fresh data set behind a site with other options.
    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("site_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let load = LoadOptions { media_scale: 0.01, ..LoadOptions::new(ACCOUNTS as u64, Profile::Olio02) };
        match std::env::var(SERVER) {
            Ok(url) => Self::on_server(&url, &name, &load, change),
            Err(_) => Self::in_memory(name, &load, change),
        }
    }

    fn in_memory(vfs: String, load: &LoadOptions, change: impl FnOnce(&mut Options)) -> Self {
        create_in_memory(&vfs, load, &mut |_, _| ()).expect("a data set");
        let store = loadstone_store::Options { vfs: Some(vfs), ..loadstone_store::Options::memory() };
        let db = Db::open(DATABASE, &store).expect("the data set opens");
        let host = Arc::new(MemoryHost::new(1 << 24, 1 << 22).expect("entropy"));
        let mut options = Options { store, secret: Some([7; 32]), ..Options::new(DATABASE) };
        change(&mut options);
        Self::open(options, host, db, None)
    }

    fn on_server(url: &str, name: &str, load: &LoadOptions, change: impl FnOnce(&mut Options)) -> Self {
        let on_server = OnServer::new(url, name);
        let place = &on_server.place;
        create_shared(place, false, load, &mut |_, _| ()).expect("a data set");
        let mut options = Options { secret: Some([7; 32]), ..Options::new(place) };
        let db = Db::open(place, &options.store).expect("the data set opens");
        let host = Arc::new(SharedHost::new(place, options.store.clone(), 1 << 22).expect("uploads"));
        change(&mut options);
        Self::open(options, host, db, Some(on_server))
    }

    fn open(options: Options, host: Arc<dyn Host>, db: Db, on_server: Option<OnServer>) -> Self {
        let surroundings = Surroundings::of(host);
        let site = Olio::open(options, Arc::clone(&surroundings) as Arc<dyn Host>).expect("a site");
        Self { site, db, surroundings, on_server }
    }

    /// Whether the data set is on a server.
    pub fn is_on_server(&self) -> bool {
        self.on_server.is_some()
    }

    /// Somebody who has never been here.
    pub fn visitor(&self) -> Browser {
        Browser {
            handler: self.site.handler().expect("a handler"),
            cookies: BTreeMap::new(),
            token: String::new(),
        }
    }

    /// Somebody who has logged in.
    pub fn member(&self, id: i64) -> Browser {
        let mut browser = self.visitor();
        browser.get("/");
        let home = browser.log_in(id);
        assert_eq!(home.status, 200);
        assert!(home.text.contains("Hello"), "{}", home.text);
        browser
    }

    /// A number from the database.
    pub fn number(&self, sql: &'static str, id: i64) -> i64 {
        self.db.query_row(sql, &[id.into()], |row| row.int(0)).expect(sql).expect(sql)
    }
}

/// A database of its own on the server that [`SERVER`] names.
struct OnServer {
    server: Db,
    name: String,
    place: String,
}

impl OnServer {
    fn new(url: &str, name: &str) -> Self {
        let server = Db::open(url, &loadstone_store::Options::default()).expect("the server answers");
        server.exec_batch(format!("CREATE DATABASE {name}").leak()).expect("a database");
        let (start, _) = url.rsplit_once('/').expect("a URL with a database");
        Self { server, place: format!("{start}/{name}"), name: name.into() }
    }
}

impl Drop for OnServer {
    fn drop(&mut self) {
        let force = if self.server.dialect() == Dialect::Postgres { " WITH (FORCE)" } else { "" };
        self.server.exec_batch(format!("DROP DATABASE {}{force}", self.name).leak()).expect("a database");
    }
}

/// User name of a loaded account.
pub fn name(id: i64) -> String {
    username(id as u64, Era::Release)
}

/// An answer.
pub struct Page {
    pub status: u16,
    pub text: String,
    pub location: String,
    pub headers: String,
}

impl Page {
    /// The value of `data-key`, which names what the page shows.
    pub fn key(&self) -> &str {
        between(&self.text, "data-key=\"", "\"").unwrap_or("")
    }

    /// The ids of the links `/events/N`, each once, in order.
    pub fn events(&self) -> Vec<i64> {
        let mut ids = Vec::new();
        for rest in self.text.split("href=\"/events/").skip(1) {
            let id = rest.split('"').next().and_then(|id| id.parse().ok());
            ids.extend(id.filter(|id| !ids.contains(id)));
        }
        ids
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.headers.lines().find_map(|line| line.strip_prefix(&prefix))
    }

    /// Fails unless the answer has the status and all the texts.
    #[track_caller]
    pub fn has(&self, status: u16, texts: &[&str]) -> &Self {
        assert_eq!(self.status, status, "{}", self.text);
        for text in texts {
            assert!(self.text.contains(text), "no {text} in {}", self.text);
        }
        self
    }

    #[track_caller]
    pub fn lacks(&self, text: &str) -> &Self {
        assert!(!self.text.contains(text), "{text} in {}", self.text);
        self
    }
}

/// What stands between two texts.
pub fn between<'a>(text: &'a str, left: &str, right: &str) -> Option<&'a str> {
    text.split_once(left)?.1.split_once(right).map(|(inner, _)| inner)
}

pub struct Browser {
    handler: Box<dyn Handler>,
    pub cookies: BTreeMap<String, String>,
    /// The token of the last page that had one.
    pub token: String,
}

impl Browser {
    /// One request, as it is; the answer's cookies are kept and its markup is checked.
    pub fn send(&mut self, method: Method, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Page {
        let mut lines = String::from("Host: olio.test\r\n");
        for (name, value) in headers {
            lines.push_str(&format!("{name}: {value}\r\n"));
        }
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            lines.push_str(&format!("Cookie: {}\r\n", cookies.join("; ")));
        }
        let mut request = Request::new(method, target);
        request.headers = Headers::new(lines.as_bytes());
        request.body = body;
        let mut response = Response::new();
        self.handler.handle(&request, &mut response);
        for value in response.headers().all("set-cookie") {
            let cookie = SetCookie::parse(std::str::from_utf8(value).expect("a cookie")).expect("a cookie");
            if cookie.is_expired(0) {
                self.cookies.remove(cookie.name);
            } else {
                self.cookies.insert(cookie.name.into(), cookie.value.into());
            }
        }
        let page = Page {
            status: response.status,
            text: String::from_utf8_lossy(response.body.as_slice()).into_owned(),
            location: response.get("location").unwrap_or("").into(),
            headers: String::from_utf8_lossy(response.headers().as_bytes()).into_owned(),
        };
        if response.get("content-type").is_some_and(|kind| kind.starts_with("text/html")) {
            markup::check(&page.text);
        }
        if let Some(token) = between(&page.text, "name=\"authenticity_token\" value=\"", "\"") {
            self.token = token.into();
        }
        page
    }

    /// A page.
    pub fn get(&mut self, target: &str) -> Page {
        self.send(Method::Get, target, &[], b"")
    }

    /// A form, sent with the token; redirects are not followed.
    pub fn submit(&mut self, target: &str, fields: &[(&str, &str)]) -> Page {
        self.form(target, fields, &[])
    }

    /// A form, and the page that it leads to.
    pub fn post(&mut self, target: &str, fields: &[(&str, &str)]) -> Page {
        let answer = self.submit(target, fields);
        if answer.location.is_empty() { answer } else { self.get(&answer.location.clone()) }
    }

    /// A form sent by a script, which wants the changed part only.
    pub fn script(&mut self, target: &str, fields: &[(&str, &str)]) -> Page {
        self.form(target, fields, &[("Accept", "text/javascript, text/html;q=0.5")])
    }

    fn form(&mut self, target: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Page {
        let body = encoded(fields, &self.token);
        let mut all = vec![("Content-Type", "application/x-www-form-urlencoded")];
        all.extend_from_slice(headers);
        self.send(Method::Post, target, &all, body.as_bytes())
    }

    /// A form with files, sent with the token.
    pub fn upload(&mut self, target: &str, fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> Page {
        let mut body = Vec::new();
        let mut writer = MultipartWriter::new("loadstone-boundary", &mut body);
        let token = self.token.clone();
        for (name, value) in fields.iter().chain(&[("authenticity_token", token.as_str())]) {
            writer.field(name, value);
        }
        for (name, data) in files {
            writer.file(name, "../../etc/passwd", "text/html", data);
        }
        writer.finish();
        let kind = ("Content-Type", "multipart/form-data; boundary=loadstone-boundary");
        self.send(Method::Post, target, &[kind], &body)
    }

    pub fn log_in(&mut self, id: i64) -> Page {
        let (user, password) = (name(id), id.to_string());
        self.post(
            "/users/login",
            &[("users[username]", &user), ("users[password]", &password), ("submit", "Login")],
        )
    }
}

/// A form's body, with the token.
pub fn encoded(fields: &[(&str, impl AsRef<str>)], token: &str) -> String {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields).append_pair("authenticity_token", token).finish()
}
