//! One HTTP conversation: received bytes become requests, requests answers, answers bytes to send; behind
//! each it is decided whether the connection stays. A server reads, runs the application and writes as
//! [`Need`] says, and decides nothing.

use alloc::string::String;
use alloc::vec::Vec;

use crate::answering::{self, Parting};
use crate::intake::{Intake, Phase};
use crate::outgoing::{Outgoing, Unsent};
use crate::{Composer, Limits, Method, Request, Response, Version};

/// What a conversation goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// More bytes from the client: [`Conversation::room`].
    Bytes(Awaited),
    /// The answer to a request that has arrived as a whole: [`Conversation::answer`].
    Answer,
    /// The server's own refusal with this status of what has arrived: [`Conversation::refuse`].
    Refusal(u16),
    /// Room for bytes to the client: [`Conversation::unsent`].
    Room,
    /// The next piece of an answer's content, which the application makes: [`Conversation::refill`].
    Content,
    /// An end: the client sends nothing more.
    Close,
    /// An end although the client may be sending: first of our side only, because closing a socket with
    /// unread bytes may destroy the answer on its way (RFC 9112 §9.6).
    Linger,
}

/// What the bytes are that a conversation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// The rest of a request's head, or the first request.
    Head,
    /// The rest of a request's body.
    Body,
    /// Another request.
    Request,
}

/// A server's side of a connection.
///
/// ```
/// use loadstone_http::{Composer, Conversation, Limits, Need};
/// let (mut conversation, mut composer, limits) = (Conversation::new(), Composer::new(0), Limits::default());
/// conversation.room().extend_from_slice(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
/// conversation.received(&limits);
/// assert_eq!(conversation.need(), Need::Answer);
/// conversation.answer(&mut composer, false, |request, response| { response.text(request.path.to_string()); }, |_, _| {});
/// let unsent = conversation.unsent().unwrap();
/// let all = unsent.head.len() + unsent.body.len();
/// conversation.sent(all, false, &mut composer, &limits);
/// assert!(matches!(conversation.need(), Need::Bytes(_)));
/// ```
#[derive(Debug)]
pub struct Conversation {
    intake: Intake,
    outgoing: Option<Outgoing>,
    /// What becomes of the connection behind the present answer.
    parting: Parting,
    /// Whether all was received that the client will ever send.
    ended: bool,
}

impl Default for Conversation {
    fn default() -> Self {
        Self::new()
    }
}

impl Conversation {
    /// With a client that has just connected. It allocates nothing.
    pub const fn new() -> Self {
        Self { intake: Intake::new(), outgoing: None, parting: Parting::Stay, ended: false }
    }

    /// What it goes on with.
    #[inline]
    pub fn need(&self) -> Need {
        if let Some(outgoing) = &self.outgoing {
            return if outgoing.is_hungry() { Need::Content } else { Need::Room };
        }
        match (self.parting, self.intake.phase()) {
            (Parting::Linger, _) if !self.ended => Need::Linger,
            (Parting::Linger | Parting::Close, _) => Need::Close,
            (Parting::Stay, Phase::Ready { .. }) => Need::Answer,
            (Parting::Stay, Phase::Bad(status)) => Need::Refusal(*status),
            (Parting::Stay, Phase::Head | Phase::Body { .. }) if self.ended => Need::Close,
            (Parting::Stay, Phase::Body { .. }) => Need::Bytes(Awaited::Body),
            (Parting::Stay, Phase::Head) => Need::Bytes(self.awaited_head()),
        }
    }

    fn awaited_head(&self) -> Awaited {
        let between = self.intake.is_used() && !self.intake.has_input();
        if between { Awaited::Request } else { Awaited::Head }
    }

    /// The buffer to which the next bytes are to be appended, with spare capacity for them.
    pub fn room(&mut self) -> &mut Vec<u8> {
        self.intake.room()
    }

    /// Parses what was appended; whether a request has become complete.
    pub fn received(&mut self, limits: &Limits) -> bool {
        self.intake.advance(limits)
    }

    /// The client sends nothing more, and all that it sent was received.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Closes it although the client may want more, without another word.
    pub fn leave(&mut self) {
        (self.parting, self.outgoing) = (Parting::Linger, None);
    }

    /// Whether the client waits for [`CONTINUE`](crate::CONTINUE) before it sends a body; true once for each
    /// request.
    pub fn asks_to_continue(&mut self) -> bool {
        self.need() == Need::Bytes(Awaited::Body) && self.intake.asks_to_continue()
    }

    /// Has the request answered that has arrived as a whole. `more`: the client may have sent more than was
    /// received. `run` runs the application; `finish` may change its answer in ways that it does not know of,
    /// and close the connection.
    pub fn answer(
        &mut self,
        composer: &mut Composer,
        more: bool,
        run: impl FnOnce(&Request<'_>, &mut Response),
        finish: impl FnOnce(&Request<'_>, &mut Response),
    ) {
        let more = more || self.intake.has_more();
        let Some((head, request)) = self.intake.request() else { return };
        let response = &mut composer.response;
        response.clear();
        if !answering::answer_for_server(&request, response) {
            run(&request, response);
        }
        answering::leave_out_what_is_known(&request, response);
        finish(&request, response);
        self.parting = answering::parting(&head, response, more);
        let stays = self.parting == Parting::Stay;
        self.outgoing = Some(composer.compose(head.version, stays, head.method == Method::Head));
    }

    /// Answers `status` from the server itself; the connection closes behind it.
    pub fn refuse(&mut self, status: u16, composer: &mut Composer) {
        answering::refuse(status, &mut composer.response);
        self.parting = Parting::Linger;
        self.outgoing = Some(composer.compose(Version::Http11, false, false));
    }

    /// What is to be sent.
    pub fn unsent(&self) -> Option<Unsent<'_>> {
        self.outgoing.as_ref().map(Outgoing::unsent)
    }

    /// So many bytes of [`Conversation::unsent`] are out by now. `held`: they still wait in a layer beneath.
    /// Whether the next request is complete.
    pub fn sent(&mut self, sent: usize, held: bool, composer: &mut Composer, limits: &Limits) -> bool {
        let Some(outgoing) = &mut self.outgoing else { return false };
        outgoing.note(sent, held);
        if !outgoing.is_over() {
            return false;
        }
        if let Some(outgoing) = self.outgoing.take() {
            composer.recycle(outgoing);
        }
        self.parting == Parting::Stay && self.intake.next_request(limits)
    }

    /// Makes the next piece of an answer's content. Runs code of the application.
    ///
    /// # Errors
    /// The content cannot be completed: the connection is to end so that no client takes what it has for the
    /// whole.
    pub fn refill(&mut self) -> Result<(), String> {
        self.outgoing.as_mut().map_or(Ok(()), Outgoing::refill)
    }

    /// Whether an answer is on its way.
    pub fn is_answering(&self) -> bool {
        self.outgoing.is_some()
    }

    /// Whether nothing has been answered on it.
    pub fn is_new(&self) -> bool {
        !self.intake.is_used() && self.outgoing.is_none()
    }

    /// Whether bytes of a request have arrived that has not been answered.
    pub fn has_input(&self) -> bool {
        self.intake.has_input()
    }

    /// The request that has arrived as a whole; it is there until its answer is out.
    pub fn request(&self) -> Option<Request<'_>> {
        self.intake.request().map(|(_, request)| request)
    }

    /// The first line of what arrives, as far as it has, for a log.
    pub fn first_line(&self) -> &[u8] {
        self.intake.first_line()
    }

    /// Bytes of memory that [`Conversation::room`] and what follows may take at once.
    pub fn cost(&self) -> usize {
        self.intake.cost()
    }

    /// Bytes that the buffers of what arrives take.
    pub fn memory(&self) -> usize {
        self.intake.memory()
    }

    /// Gives memory back that is not needed between requests, or behind a refusal.
    pub fn shrink(&mut self) {
        self.intake.shrink();
    }
}
