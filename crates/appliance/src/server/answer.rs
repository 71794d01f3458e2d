//! A request answered: run the application, compose its response as every server of Loadstone does.

use alloc::boxed::Box;
use alloc::vec::Vec;

use loadstone_http::{
    Body, DATE_LEN, Handler, Limits, Method, Parting, Request, RequestHead, Response, ResponseContext,
    Version, answer_for_server, format_date, leave_out_what_is_known, parting, write_response_head,
};

use super::Timeouts;
use super::counters::Counters;

/// The application of a port, with buffers that are used again for every response.
pub(super) struct Application {
    pub handler: Box<dyn Handler>,
    response: Response,
    head: Vec<u8>,
    date: (u64, [u8; DATE_LEN]),
}

impl Application {
    pub fn new(handler: Box<dyn Handler>) -> Self {
        Self { handler, response: Response::new(), head: Vec::new(), date: (0, format_date(0)) }
    }
}

/// What a conversation needs to go on.
pub(super) struct Desk<'a> {
    pub application: &'a mut Application,
    pub counters: &'a mut Counters,
    pub limits: &'a Limits,
    pub timeouts: &'a Timeouts,
    pub now_ms: u64,
    pub unix_s: u64,
    /// Whether the machine ends: connections close behind their response.
    pub draining: bool,
    /// Bytes that requests on their way in may still take.
    pub spare: usize,
}

impl Desk<'_> {
    /// Head and body of the answer to a request, and what becomes of the connection behind it.
    pub fn answer(
        &mut self,
        head: &RequestHead,
        request: &Request<'_>,
        more: bool,
    ) -> (Vec<u8>, Body, Parting) {
        let Application { handler, response, .. } = &mut *self.application;
        response.clear();
        self.counters.requests += 1;
        if !answer_for_server(request, response) {
            handler.handle(request, response);
        }
        leave_out_what_is_known(request, response);
        let parting = parting(head, response, self.draining, more);
        let (bytes, body) = self.compose(head.version, parting, head.method == Method::Head);
        (bytes, body, parting)
    }

    /// The server's own refusal.
    pub fn refuse(&mut self, status: u16, version: Version) -> (Vec<u8>, Body) {
        loadstone_http::refuse(status, &mut self.application.response);
        self.compose(version, Parting::Linger, false)
    }

    fn compose(&mut self, version: Version, parting: Parting, head_only: bool) -> (Vec<u8>, Body) {
        let Application { response, head, date, .. } = &mut *self.application;
        if date.0 != self.unix_s {
            *date = (self.unix_s, format_date(self.unix_s));
        }
        let context =
            ResponseContext { date: &date.1, version, keep_alive: parting == Parting::Stay, head_only };
        let mut bytes = core::mem::take(head);
        bytes.clear();
        let has_body = write_response_head(&mut bytes, response, &context);
        self.counters.response(response.status);
        let body = if has_body { core::mem::take(&mut response.body) } else { Body::Empty };
        (bytes, body)
    }

    /// Takes buffers back that a response was sent from.
    pub fn recycle(&mut self, head: Vec<u8>, body: Body) {
        self.application.head = head;
        self.application.response.body = body;
        self.application.response.clear();
    }
}
