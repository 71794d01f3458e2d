//! The application as a service: from a request to its route, and from there to a response.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use loadstone_http::{Handler, Request, Response, Service};
use loadstone_store::{Db, Options as StoreOptions, without_password};
use loadstone_web::attempts::Attempts;
use loadstone_web::dates::{Day, Moment};
use loadstone_web::origin::Origin;
use loadstone_web::password::Scheme;
use loadstone_web::rules::Rules;
use loadstone_web::token::{self, TokenKey};

use crate::actions;
use crate::cache::{Cache, CacheLevel};
use crate::failure::Failure;
use crate::host::Host;
use crate::media::Media;
use crate::replica::{self, Replica};
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
    /// Copies of the database that follow it, by URL: pages that only read may come from them.
    pub replicas: Vec<String>,
    /// Key of the forms' tokens; none: a fresh one, or on a database server the one that its sites share.
    pub secret: Option<[u8; 32]>,
    /// What is kept between requests.
    pub cache: CacheLevel,
    /// For whom the site runs.
    pub rules: Rules,
    /// How new passwords are hashed; none: as the rules have it.
    pub passwords: Option<Scheme>,
    /// Where people find the site.
    pub origin: Origin,
    /// Full pictures instead of thumbnails on the pages of events and people, as in 2008.
    pub full_image: bool,
}

impl Options {
    /// The defaults: SQLite's own, no cache, the rules of a benchmark, thumbnails.
    pub fn new(database: impl Into<String>) -> Self {
        Self {
            database: database.into(),
            store: StoreOptions::default(),
            replicas: Vec::new(),
            secret: None,
            cache: CacheLevel::None,
            rules: Rules::default(),
            passwords: None,
            origin: Origin::default(),
            full_image: false,
        }
    }

    /// How new passwords are hashed.
    pub(crate) fn passwords(&self) -> Scheme {
        self.passwords.unwrap_or(self.rules.passwords())
    }
}

/// The application. Its handlers share everything but the database, to which each has its own connection.
pub struct Olio {
    options: Options,
    host: Arc<dyn Host>,
    key: TokenKey,
    attempts: Option<Arc<Attempts>>,
    today: Day,
    media: Arc<Media>,
    statics: Arc<Statics>,
    /// Handlers so far, which share the replicas out.
    handlers: AtomicUsize,
}

impl Olio {
    /// An application on a loaded data set: reads what it says about itself and makes its pictures.
    ///
    /// # Errors
    /// A sentence when the database cannot be opened or is no complete data set.
    // An image calls it once, and its program, which is less small, would take it in.
    #[inline(never)]
    pub fn open(options: Options, host: Arc<dyn Host>) -> Result<Self, String> {
        let db = connect(&options)?;
        let trouble = |error| alloc::format!("{}: {error}", without_password(&options.database));
        let meta = Meta::read(&db).map_err(trouble)?;
        let media = Arc::new(Media::new(&meta, Arc::clone(&host))?);
        let mut fresh = [0; 32];
        host.entropy(&mut fresh);
        let key = TokenKey::of(&db, options.secret, &fresh).map_err(trouble)?;
        let statics = Arc::new(Statics::new());
        let attempts = options.rules.are_public().then(|| Arc::new(Attempts::new(key.clone())));
        let handlers = AtomicUsize::new(0);
        Ok(Self { options, host, key, attempts, today: meta.base_day, media, statics, handlers })
    }
}

fn connect(Options { database, store, .. }: &Options) -> Result<Db, String> {
    Db::open(database, store)
        .map_err(|error| alloc::format!("cannot open {}: {error}", without_password(database)))
}

impl Service for Olio {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        let number = self.handlers.fetch_add(1, Ordering::Relaxed);
        let replicas = if Db::HAS_SERVERS { &self.options.replicas[..] } else { &[] };
        let place = replicas.iter().cycle().nth(number % replicas.len().max(1));
        Ok(Box::new(Site {
            db: connect(&self.options)?,
            replica: place.map(|place| Replica::new(place.clone(), self.options.store.clone())),
            is_on_replica: false,
            skips_cache: false,
            media: Arc::clone(&self.media),
            statics: Arc::clone(&self.statics),
            host: Arc::clone(&self.host),
            key: self.key.clone(),
            attempts: self.attempts.clone(),
            today: self.today,
            options: self.options.clone(),
        }))
    }
}

/// One worker's handler.
pub(crate) struct Site {
    /// What is read from and written to; while a page comes from the replica, that one's connection.
    pub db: Db,
    replica: Option<Replica>,
    /// Whether `db` and the replica's connection have changed places.
    is_on_replica: bool,
    /// Whether the page is for somebody who is to see what they changed, which a replica may not have had when
    /// something was kept.
    skips_cache: bool,
    pub host: Arc<dyn Host>,
    pub key: TokenKey,
    /// Tries of passwords, where they are counted.
    pub attempts: Option<Arc<Attempts>>,
    /// The data set's "today": what the pages call today.
    pub today: Day,
    pub media: Arc<Media>,
    pub statics: Arc<Statics>,
    pub options: Options,
}

impl Handler for Site {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        // The last request may have ended in a panic.
        self.leave_replica();
        let outcome = self.answer(request, response);
        if let Err(failure) = outcome {
            self.report(&failure);
            response.clear();
            reply::failure(self, request, response, &failure);
        }
        self.options.origin.keep_to_tls(response);
    }
}

impl Site {
    fn answer(&mut self, request: &Request<'_>, response: &mut Response) -> Result<(), Failure> {
        // Files come first: they make up most requests and need neither parameters nor sessions.
        if let Some(outcome) = actions::files::answer(self, request, response) {
            return outcome;
        }
        let mut visit = Visit::new(self, request)?;
        let route = Route::find(visit.params.method(request.method), request.path)?;
        if route.changes_state() && !visit.has_token() {
            return Err(Failure::Forbidden);
        }
        if !Db::HAS_SERVERS || self.replica.is_none() {
            return self.route(&mut visit, route, response);
        }
        self.skips_cache = route.only_reads() && replica::has_written(request);
        if route.only_reads() && !self.skips_cache && self.take_replica() {
            let outcome = self.route(&mut visit, route, response);
            self.leave_replica();
            if outcome.is_ok() {
                return outcome;
            }
            // Whatever it is, the primary knows better.
            self.replica.iter_mut().for_each(Replica::doubt);
            response.clear();
            visit.viewer = None;
        }
        self.route(&mut visit, route, response)?;
        if route.changes() {
            replica::mark(&self.options, response);
        }
        Ok(())
    }

    fn route(&self, visit: &mut Visit<'_>, route: Route<'_>, response: &mut Response) -> Result<(), Failure> {
        let _snapshot = if route.only_reads() { Some(self.db.snapshot()?) } else { None };
        if route.knows_viewer() {
            visit.find_viewer(self)?;
        }
        actions::answer(self, visit, route, response)
    }

    /// Puts the replica in the place of the database, when it may be read from.
    fn take_replica(&mut self) -> bool {
        let now_s = self.host.now_s();
        let Some(db) = self.replica.as_mut().and_then(|replica| replica.current(now_s)) else { return false };
        core::mem::swap(&mut self.db, db);
        self.is_on_replica = true;
        true
    }

    fn leave_replica(&mut self) {
        if Db::HAS_SERVERS
            && core::mem::take(&mut self.is_on_replica)
            && let Some(replica) = &mut self.replica
        {
            replica.give_back(&mut self.db);
        }
    }

    /// The cache at the configured level.
    pub(crate) fn cache(&self) -> Cache<'_> {
        Cache::new(&*self.host, if self.skips_cache { CacheLevel::None } else { self.options.cache })
    }

    /// Noon of the data set's today: when things are created now.
    pub(crate) fn now(&self) -> Moment {
        Moment { day: self.today, hour: 12, minute: 0 }
    }

    /// Tells the operator about what is our fault.
    fn report(&self, failure: &Failure) {
        if let Some(sentence) = failure.sentence() {
            self.host.report(&sentence);
        }
    }
}

/// A fresh session id.
pub(crate) fn fresh_session(host: &dyn Host) -> String {
    let mut bytes = [0; 16];
    host.entropy(&mut bytes);
    token::hex(&bytes)
}
