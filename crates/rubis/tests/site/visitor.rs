//! A small data set in memory with a clock that tests move, and browsers that keep cookies and fill in forms.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loadstone_http::{Handler, Headers, Method, Request, Response, Service, SetCookie};
use loadstone_rubis::loader::{DATABASE, LoadOptions, create_in_memory};
use loadstone_rubis::{Host, Options, Rubis};
use loadstone_store::{Db, Options as StoreOptions};
use loadstone_web::password::Scheme;
use loadstone_web::rules::Rules;

/// Old items of the data set; the active ones follow.
pub const OLD: i64 = 500;
/// Active items.
pub const ACTIVE: i64 = 33;
/// A day, in seconds.
pub const DAY_S: u64 = 24 * 3600;

static SERIAL: AtomicU64 = AtomicU64::new(0);

/// A site of the least scale.
pub struct World {
    pub rubis: Rubis,
    pub db: Db,
    clock: Arc<Clock>,
    options: Options,
}

struct Clock {
    now_s: AtomicU64,
    drawn: AtomicU64,
}

impl Host for Clock {
    fn now_s(&self) -> u64 {
        self.now_s.load(Ordering::Relaxed)
    }

    fn entropy(&self, bytes: &mut [u8]) {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed) + 1;
        for (byte, value) in bytes.iter_mut().zip(drawn.to_le_bytes().into_iter().cycle()) {
            *byte = value;
        }
    }
}

impl World {
    pub fn new() -> Self {
        Self::with(|_| ())
    }

    /// A site with the rules for people, but for passwords that are dear to hash.
    pub fn public() -> Self {
        Self::with(|options| {
            (options.rules, options.passwords) = (Rules::Public, Some(Scheme::Pbkdf2(2)));
        })
    }

    /// A site with other options.
    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        let vfs = format!("rubis-{}", SERIAL.fetch_add(1, Ordering::Relaxed));
        create_in_memory(&vfs, &LoadOptions::new(0.001), &mut |_, _| {}).expect("a data set");
        let store = StoreOptions { vfs: Some(vfs), ..StoreOptions::memory() };
        let db = Db::open(DATABASE, &store).expect("the database opens");
        let clock = Arc::new(Clock { now_s: AtomicU64::new(1_000_000), drawn: AtomicU64::new(0) });
        let mut options = Options { store, secret: Some([7; 32]), ..Options::new(DATABASE) };
        change(&mut options);
        let rubis =
            Rubis::open(options.clone(), Arc::clone(&clock) as Arc<dyn Host>).expect("the site opens");
        Self { rubis, db, clock, options }
    }

    /// Lets time pass.
    pub fn pass(&self, seconds: u64) {
        self.clock.now_s.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Another server on the same data.
    pub fn another(&self) -> Rubis {
        let clock = Arc::clone(&self.clock) as Arc<dyn Host>;
        Rubis::open(self.options.clone(), clock).expect("the site opens")
    }

    pub fn browser(&self) -> Browser {
        Browser::at(&self.rubis)
    }

    /// A browser whose person has logged in, as the data set's user of this number.
    pub fn user(&self, id: i64) -> Browser {
        let mut browser = self.browser();
        let page = browser.log_in("/me", id);
        assert!(page.is("AboutMe"), "{}", page.body);
        browser
    }

    /// One integer of the database.
    pub fn int(&self, sql: &'static str, id: i64) -> i64 {
        self.db.query_row(sql, &[id.into()], |row| row.int(0)).expect("a query").expect("a row")
    }
}

/// Keeps cookies and the last page's token.
pub struct Browser {
    handler: Box<dyn Handler>,
    pub cookies: Vec<(String, String)>,
}

/// An answer.
pub struct Page {
    pub status: u16,
    pub body: String,
    pub headers: Vec<(String, String)>,
}

impl Page {
    /// Whether it is this state's page.
    pub fn is(&self, kind: &str) -> bool {
        self.body.contains(&format!("data-page=\"{kind}\""))
    }

    /// The token of its forms.
    pub fn token(&self) -> &str {
        between(&self.body, "name=\"authenticity_token\" value=\"", "\"").unwrap_or("")
    }

    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub fn has(&self, text: &str) -> bool {
        self.body.contains(text)
    }
}

pub fn between<'t>(text: &'t str, left: &str, right: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(left)?;
    rest.split_once(right).map(|(found, _)| found)
}

impl Browser {
    pub fn at(site: &Rubis) -> Self {
        Self { handler: site.handler().expect("a handler"), cookies: Vec::new() }
    }

    pub fn get(&mut self, target: &str) -> Page {
        self.send(Method::Get, target, b"")
    }

    pub fn post(&mut self, target: &str, fields: &[(&str, &str)]) -> Page {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send(Method::Post, target, body.as_bytes())
    }

    /// Looks at the form at `from`, and sends it to `to` with its token.
    pub fn submit(&mut self, from: &str, to: &str, fields: &[(&str, &str)]) -> Page {
        let token = self.get(from).token().to_owned();
        self.post(to, &[&[("authenticity_token", token.as_str())], fields].concat())
    }

    /// Logs in by the form at `path`, which is sent to the same path.
    pub fn log_in(&mut self, path: &str, id: i64) -> Page {
        let (nickname, password) = (format!("user{id}"), format!("password{id}"));
        self.submit(path, path, &[("nickname", &nickname), ("password", &password)])
    }

    pub fn send(&mut self, method: Method, target: &str, body: &[u8]) -> Page {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let fields =
            format!("Cookie: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n", cookies.join("; "));
        let mut request = Request::new(method, target);
        request.headers = Headers::new(fields.as_bytes());
        request.body = body;
        let mut response = Response::new();
        self.handler.handle(&request, &mut response);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let headers: Vec<_> =
            response.headers().iter().map(|(name, value)| (text(name), text(value))).collect();
        for (_, value) in headers.iter().filter(|(name, _)| name == "Set-Cookie") {
            self.keep(value);
        }
        let body = String::from_utf8(response.body.as_slice().to_vec()).expect("pages are UTF-8");
        Page { status: response.status, body, headers }
    }

    fn keep(&mut self, header: &str) {
        let cookie = SetCookie::parse(header).expect("a cookie");
        self.cookies.retain(|(name, _)| name != cookie.name);
        if !cookie.is_expired(0) {
            self.cookies.push((cookie.name.into(), cookie.value.into()));
        }
    }
}
