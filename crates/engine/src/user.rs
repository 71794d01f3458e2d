//! One emulated client.

use std::sync::Arc;

use loadstone_http::Method;
use loadstone_workload::{Next, Program, State};
use rustls::ClientConfig;

use crate::browser::Browser;
use crate::hands::Answered;
use crate::lanes::Lane;
use crate::multiplex::{Flying, LinkKey};
use crate::reader::{Reader, Store};
use crate::recorder::{Cause, Counts};
use crate::references::References;
use crate::request::Outgoing;
use crate::socket::Connection;
use crate::steps::{Setup, Timed};
use crate::websocket::{Opening, Socket};

/// A buffer that grew beyond this is given back to the allocator, or the largest answer ever seen would stay.
const KEPT_CAPACITY: usize = 256 << 10;

/// What a user is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not started, or stopped by the load profile.
    Away,
    /// Between operations; the queue holds its next start.
    Idle,
    /// A connection is being opened.
    Connecting,
    /// A proxy is asked to connect to the host.
    Tunnelling,
    /// It is being secured by TLS.
    Handshaking,
    /// A request is being sent.
    Sending,
    /// The answer is awaited or being read.
    Reading,
    /// A connection that operations share is being made by another one.
    Joining,
    /// The next file of a page is not asked for yet.
    Pausing,
    /// The server has no room for a further connection yet; the queue has it try again.
    Knocking,
    /// Files of a page are awaited on other connections than the one in use.
    Gathering,
    /// A message is awaited on its WebSocket, or one leaves.
    Listening,
    /// A function is called.
    Calling,
}

/// What was refused, and is asked for once more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Nothing.
    #[default]
    None,
    /// The steps before `end` renew what `step` was refused for.
    UnderWay { step: usize, end: usize },
    /// They are done, and the step is taken once more.
    Done,
}

/// Which request of a step is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// The step's own, or where it was redirected.
    Step,
    /// What its page refers to.
    Reference,
}

/// A user.
#[derive(Debug)]
pub(crate) struct User {
    /// Position among the users of its thread: the token of its events.
    pub token: u32,
    pub state: State,
    pub browser: Browser,
    /// The host that it asks now, and that which its connection in use leads to, by their places.
    pub host: usize,
    pub at: usize,
    pub connection: Option<Connection>,
    /// Connections that are idle meanwhile.
    pub aside: Vec<Connection>,
    /// Further requests under way, for files of a page; which of the files the user's own request is for; whether a
    /// lane is in the place of that; and why a file has failed.
    pub lanes: Vec<Lane>,
    pub file: Option<usize>,
    pub in_lane: bool,
    pub lost_file: Option<Cause>,
    /// Its WebSocket, and one that is being opened.
    pub socket: Option<Box<Socket>>,
    pub opening: Option<Box<Opening>>,
    /// The number that the latest connection was given.
    pub last_number: u8,
    pub links_aside: Vec<(usize, LinkKey)>,
    /// The connection with HTTP/2 that its requests go on, and what is asked there, the oldest first.
    pub link: Option<LinkKey>,
    pub streams: Vec<Flying>,
    /// What its session has kept of the TLS of each host, so that later connections can resume it.
    pub tls: Vec<Option<Arc<ClientConfig>>>,
    pub stage: Stage,
    /// Stops when its operation ends.
    pub leaving: bool,
    /// When the request under way has failed.
    pub deadline: u64,
    /// How long each request of the step may take, and when the operation has failed.
    pub patience: u64,
    pub last_call: u64,
    /// When the queue wakes it; what the queue holds for another instant is void.
    pub wake: u64,
    /// The operation under way or done last.
    pub operation: usize,
    pub step: usize,
    pub renewal: Renewal,
    /// Rounds that are left of the loops it is in, by their last steps, the innermost last.
    pub rounds: Vec<(usize, u32)>,
    /// When the step began, and when its answer had come whole.
    pub step_began: u64,
    pub step_answered: u64,
    /// When the first byte of the latest answer to the step's own request came; and microseconds from the start of
    /// the operation to that of its first step with an answer, calls left out.
    pub first_byte: Option<u64>,
    pub heard_after: Option<u64>,
    /// The call that it awaits, and microseconds that the operation has spent on calls.
    pub ticket: u64,
    pub called: u64,
    /// The operation's latest answer, where a function is given it.
    pub answered: Option<Arc<Answered>>,
    /// What it spent on connections.
    pub setup: Setup,
    /// The steps of the operation that are done.
    pub timed: Vec<Timed>,
    pub fetch: Fetch,
    pub method: Method,
    pub redirects: u8,
    /// How often the request was sent once more.
    pub again: u8,
    /// Which of the host's addresses the request goes to, and how many were tried for it.
    pub address: usize,
    pub addresses_tried: usize,
    pub reader: Reader,
    pub intended: u64,
    pub sent: u64,
    pub ended: u64,
    pub pace: Option<u64>,
    /// No operation has ended yet.
    pub fresh: bool,
    pub session: Session,
    pub requests_sent: u32,
    /// What follows, decided when the operation starts.
    pub next: Next,
    pub next_operation: usize,
    /// What an answer of the operation under way said about that.
    pub ruled: Option<Next>,
    pub delay: u64,
    /// How long the answer under way asks to wait, microseconds, and how often in a row that was done.
    pub asked_to_wait: Option<u64>,
    pub waits: u32,
    pub counts: Counts,
    /// Buffers of a request that takes several events.
    pub work: Option<Box<Work>>,
}

impl User {
    pub(crate) fn new(program: &Program, number: u32, token: u32) -> Self {
        let state = State::new(program, number);
        let first = program.scenario_of(&state).first;
        Self {
            token,
            state,
            browser: Browser::default(),
            host: 0,
            at: 0,
            connection: None,
            aside: Vec::new(),
            lanes: Vec::new(),
            file: None,
            in_lane: false,
            lost_file: None,
            socket: None,
            opening: None,
            last_number: 0,
            links_aside: Vec::new(),
            link: None,
            streams: Vec::new(),
            tls: Vec::new(),
            stage: Stage::Away,
            leaving: false,
            deadline: u64::MAX,
            patience: 0,
            last_call: u64::MAX,
            wake: u64::MAX,
            operation: first,
            step: 0,
            renewal: Renewal::None,
            rounds: Vec::new(),
            step_began: 0,
            step_answered: 0,
            first_byte: None,
            heard_after: None,
            ticket: 0,
            called: 0,
            answered: None,
            setup: Setup::default(),
            timed: Vec::new(),
            fetch: Fetch::Step,
            method: Method::Get,
            redirects: 0,
            again: 0,
            address: 0,
            addresses_tried: 0,
            reader: Reader::default(),
            intended: 0,
            sent: 0,
            ended: 0,
            pace: None,
            fresh: true,
            session: Session::default(),
            requests_sent: 0,
            next: Next::NewSession,
            next_operation: first,
            ruled: None,
            delay: 0,
            asked_to_wait: None,
            waits: 0,
            counts: Counts::new(program.counters.len()),
            work: None,
        }
    }

    /// Whether an operation is under way.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.stage, Stage::Away | Stage::Idle)
    }
}

/// The session that a user is in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Session {
    /// When it began; in an open workload, when it should have arrived.
    pub began: u64,
    /// It has begun and not ended.
    pub lives: bool,
    pub operations: u32,
    /// A bit for each host that it has connected to.
    pub reached: u64,
}

/// Buffers of a request under way; a thread lends them to users for as long as they need them.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub store: Store,
    pub journey: Journey,
}

/// Where a step led so far.
#[derive(Debug, Default)]
pub(crate) struct Journey {
    pub outgoing: Outgoing,
    /// Path to which redirects led; empty before the first.
    pub location: Vec<u8>,
    /// The redirect that the answer under way asks for.
    pub announced: Vec<u8>,
    pub references: References,
    /// For how long the server wants no requests for files of the page, microseconds.
    pub wait: Option<u64>,
    /// The same where the server did not take one of them.
    pub refused: Option<u64>,
    /// They are fetched on several connections, after a wait.
    pub fanned: bool,
}

impl Work {
    /// Whether the user must keep it until its next event.
    pub(crate) fn is_needed(&self) -> bool {
        let journey = &self.journey;
        !self.store.is_empty()
            || !journey.outgoing.is_empty()
            || !journey.location.is_empty()
            || !journey.announced.is_empty()
            || journey.references.has_left()
    }

    /// Makes it ready for another user.
    pub(crate) fn clear(&mut self) {
        let Journey { outgoing, location, announced, references, wait, refused, fanned } = &mut self.journey;
        (*wait, *refused, *fanned) = (None, None, false);
        self.store.clear();
        outgoing.clear();
        location.clear();
        announced.clear();
        references.clear();
        if self.store.body.capacity() > KEPT_CAPACITY {
            self.store.body = Vec::new();
        }
        if outgoing.capacity() > KEPT_CAPACITY {
            *outgoing = Outgoing::default();
        }
    }
}
