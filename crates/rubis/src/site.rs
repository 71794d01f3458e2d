//! The application as a service: from a request to its route, and from there to a response.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use loadstone_http::{Handler, Method, Request, Response, Service};
use loadstone_store::{Db, Options as StoreOptions, without_password};
use loadstone_web::attempts::Attempts;
use loadstone_web::dataset;
use loadstone_web::dates::Moment;
use loadstone_web::origin::Origin;
use loadstone_web::password::Scheme;
use loadstone_web::rules::Rules;
use loadstone_web::token::{TokenKey, hex};

use crate::actions;
use crate::data::ended;
use crate::failure::Failure;
use crate::host::Host;
use crate::reply;
use crate::route::Route;
use crate::schema::Meta;
use crate::statics::Statics;
use crate::visit::Visit;

/// How the site runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database: a path for the VFS that `store` names, or the URL of one on a server.
    pub database: String,
    /// How each worker opens it.
    pub store: StoreOptions,
    /// Key of the forms' tokens and of log-ins; none: a fresh one, or on a database server the one that its
    /// sites share.
    pub secret: Option<[u8; 32]>,
    /// For whom the site runs.
    pub rules: Rules,
    /// How new passwords are hashed; none: as the rules have it.
    pub passwords: Option<Scheme>,
    /// Where people find the site.
    pub origin: Origin,
}

impl Options {
    /// The defaults: SQLite's own, the rules of a benchmark.
    pub fn new(database: impl Into<String>) -> Self {
        Self {
            database: database.into(),
            store: StoreOptions::default(),
            secret: None,
            rules: Rules::default(),
            passwords: None,
            origin: Origin::default(),
        }
    }

    /// How new passwords are hashed.
    pub(crate) fn passwords(&self) -> Scheme {
        self.passwords.unwrap_or(self.rules.passwords())
    }
}

/// The application. Its handlers share everything but the database, to which each has its own connection.
pub struct Rubis {
    options: Options,
    host: Arc<dyn Host>,
    key: TokenKey,
    attempts: Option<Arc<Attempts>>,
    clock: Clock,
    statics: Arc<Statics>,
}

/// The site's own time: the data set's, and what has passed since it was first opened.
#[derive(Debug, Clone, Copy)]
struct Clock {
    base: Moment,
    opened_s: u64,
}

impl Rubis {
    /// An application on a loaded data set: reads what it says about itself.
    ///
    /// # Errors
    /// A sentence when the database cannot be opened or is no complete data set.
    pub fn open(options: Options, host: Arc<dyn Host>) -> Result<Self, String> {
        let db = connect(&options)?;
        let trouble = |error| alloc::format!("{}: {error}", without_password(&options.database));
        let meta = Meta::read(&db).map_err(trouble)?;
        let opened = dataset::first(&db, "opened_s", &host.now_s().to_string()).map_err(trouble)?;
        let clock = Clock { base: meta.base, opened_s: opened.parse().unwrap_or_else(|_| host.now_s()) };
        let mut fresh = [0; 32];
        host.entropy(&mut fresh);
        let key = TokenKey::of(&db, options.secret, &fresh).map_err(trouble)?;
        let mut attempts = None;
        if options.rules.are_public() {
            ended::prepare(&db).map_err(trouble)?;
            attempts = Some(Arc::new(Attempts::new(key.clone())));
        }
        Ok(Self { options, host, key, attempts, clock, statics: Arc::new(Statics::new()) })
    }
}

fn connect(Options { database, store, .. }: &Options) -> Result<Db, String> {
    Db::open(database, store)
        .map_err(|error| alloc::format!("cannot open {}: {error}", without_password(database)))
}

impl Service for Rubis {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Site {
            db: connect(&self.options)?,
            host: Arc::clone(&self.host),
            key: self.key.clone(),
            attempts: self.attempts.clone(),
            clock: self.clock,
            statics: Arc::clone(&self.statics),
            options: self.options.clone(),
        }))
    }
}

/// One worker's handler.
pub(crate) struct Site {
    pub db: Db,
    pub host: Arc<dyn Host>,
    pub key: TokenKey,
    /// Tries of passwords, where they are counted.
    pub attempts: Option<Arc<Attempts>>,
    clock: Clock,
    pub statics: Arc<Statics>,
    pub options: Options,
}

impl Handler for Site {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if let Err(failure) = self.answer(request, response) {
            self.report(&failure);
            response.clear();
            reply::failure(self, request, response, &failure);
        }
        self.options.origin.keep_to_tls(response);
    }
}

impl Site {
    fn answer(&self, request: &Request<'_>, response: &mut Response) -> Result<(), Failure> {
        // Files come first: they need neither parameters nor sessions.
        if let Some(outcome) = self.statics.answer(request, response) {
            return outcome;
        }
        let method = if request.method == Method::Head { Method::Get } else { request.method };
        let route = Route::find(method, request.path)?;
        let mut visit = Visit::new(self, request)?;
        if method == Method::Post {
            if !visit.has_token() {
                return Err(Failure::Forbidden);
            }
            return actions::change(self, &mut visit, route, response);
        }
        let _snapshot = self.db.snapshot()?;
        actions::show(self, &visit, route, response)
    }

    /// The minute it is on the site.
    pub(crate) fn now(&self) -> Moment {
        let passed = self.host.now_s().saturating_sub(self.clock.opened_s) / 60;
        Moment::from_minutes(self.clock.base.minutes().saturating_add(passed as i64))
    }

    /// A fresh session id.
    pub(crate) fn fresh_session(&self) -> String {
        let mut bytes = [0; 16];
        self.host.entropy(&mut bytes);
        hex(&bytes)
    }

    /// Tells the operator about what is our fault.
    fn report(&self, failure: &Failure) {
        if let Some(sentence) = failure.sentence() {
            self.host.report(&sentence);
        }
    }
}
