//! Requests as bytes. What every user sends alike is written once; the rest is rendered into a reused buffer.

use loadstone_h2::Fields;
use loadstone_http::Method;
use loadstone_workload::{
    Browser, ByProxy, CompiledBody, CompiledPart, CompiledStep, Filler, Http, Place, Program, State,
};
use rustix::io::Errno;

use crate::browser::Validator;
use crate::coding::ACCEPT_ENCODING;
use crate::cookies::{Cookies, Origin};
use crate::multiplex::fields_of;
use crate::socket::Connection;

/// No text that a user types has such a line, and in random files its probability is 2^-400.
const BOUNDARY: &str = "loadstone-part-5a1f0e93c7d24b86a0f7-end-of-part";

/// Fields of a step that are for its own host alone.
const OF_ONE_HOST: [&str; 3] = ["host", "authorization", "cookie"];

/// A request on its way: text, with files that are not copied in between.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    text: Vec<u8>,
    /// Where in the text each file goes.
    files: Vec<(usize, Filler)>,
    sent: usize,
}

impl Outgoing {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.files.clear();
        self.sent = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds field lines to a request without a body.
    pub(crate) fn add_fields(&mut self, fields: &str) {
        self.text.truncate(self.text.len() - b"\r\n".len());
        push(&mut self.text, &[fields.as_bytes(), b"\r\n"]);
    }

    /// All that is text.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Passes over the next `length` bytes: they go another way.
    pub(crate) fn skip(&mut self, length: usize) {
        self.sent += length;
    }

    /// Whether a part of it went out.
    pub(crate) fn has_begun(&self) -> bool {
        self.sent > 0
    }

    pub(crate) fn capacity(&self) -> usize {
        self.text.capacity()
    }

    /// Holds what is left of a request that was sent from elsewhere.
    pub(crate) fn hold(&mut self, rest: &[u8]) {
        self.clear();
        self.text.extend_from_slice(rest);
    }

    /// Sends as much as the connection takes; whether that was all.
    pub(crate) fn send(&mut self, connection: &mut Connection) -> Result<bool, Errno> {
        loop {
            let Some((piece, more)) = self.next_piece() else { return connection.flush() };
            match connection.send(piece, more) {
                Ok(sent) => self.sent += sent,
                Err(Errno::AGAIN) => return Ok(false),
                Err(why) => return Err(why),
            }
        }
    }

    /// The text of the whole request; a file in it is told by its length.
    pub(crate) fn shown(&self) -> Vec<u8> {
        let (mut shown, mut from) = (Vec::new(), 0);
        for (to, file) in &self.files {
            shown.extend_from_slice(&self.text[from..*to]);
            shown.extend_from_slice(format!("[{} bytes]", file.len()).as_bytes());
            from = *to;
        }
        shown.extend_from_slice(&self.text[from..]);
        shown
    }

    /// The next contiguous bytes, and whether others follow.
    pub(crate) fn next_piece(&self) -> Option<(&[u8], bool)> {
        let mut position = self.sent;
        let mut text_from = 0;
        for (text_to, file) in &self.files {
            let text = text_to - text_from;
            if position < text {
                return Some((&self.text[text_from + position..*text_to], true));
            }
            position -= text;
            if position < file.len() {
                return Some((&file[position..], true));
            }
            position -= file.len();
            text_from = *text_to;
        }
        let rest = &self.text[text_from..];
        (position < rest.len()).then(|| (&rest[position..], false))
    }
}

/// The requests of a program.
#[derive(Debug)]
pub(crate) struct Requests {
    /// Whole requests of steps that are the same for all users, by operation and step.
    constant: Vec<Vec<Option<Box<[u8]>>>>,
    /// The same as fields, if the target has HTTP/2.
    fields: Vec<Vec<Option<Fields>>>,
    /// What requests to each host have, by its place.
    hosts: Box<[Host]>,
    /// Fields of every request, by scenario.
    common: Vec<Box<[u8]>>,
    /// The codings that are asked for, by scenario; of a step that names its own, nothing.
    coded: Vec<&'static [u8]>,
}

#[derive(Debug)]
struct Host {
    /// The field Host; of a step that names its own, nothing.
    field: Box<[u8]>,
    base_path: Box<[u8]>,
    origin: Origin,
    /// What stands before the path of a request: nothing, or scheme and host for a proxy.
    before: Box<[u8]>,
    /// What a proxy that is asked for it is told of who asks.
    who: Box<[u8]>,
}

/// Which request of a step is wanted, and the user who wants it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub step: &'a CompiledStep,
    /// The host that is asked, by its place: the step's own, or where a redirect led.
    pub host: usize,
    pub method: Method,
    /// Where a redirect led; empty: the step's own path.
    pub location: &'a [u8],
    pub state: &'a State,
    pub cookies: &'a Cookies,
}

impl Requests {
    pub(crate) fn new(program: &Program) -> Self {
        let browsers = || program.scenarios.iter().map(|scenario| &scenario.browser);
        let common = |browser: &Browser| match browser.user_agent.as_str() {
            "" => Box::default(),
            name => format!("User-Agent: {name}\r\n").into_bytes().into(),
        };
        let coded = |browser: &Browser| if browser.compressed { ACCEPT_ENCODING.as_bytes() } else { b"" };
        let mut requests = Self {
            hosts: program.places.iter().map(|place| Host::new(program, place)).collect(),
            coded: browsers().map(coded).collect(),
            constant: Vec::new(),
            fields: Vec::new(),
            common: browsers().map(common).collect(),
        };
        let none = Cookies::default();
        let prepare = |nobody: &State, step: &CompiledStep| {
            step.is_constant().then(|| {
                let mut out = Outgoing::default();
                let method = method_of(step);
                let wanted =
                    Wanted { step, host: step.host, method, location: b"", state: nobody, cookies: &none };
                requests.write_step(wanted, &mut out, &mut Vec::new());
                out.text.into()
            })
        };
        let mut constant = Vec::new();
        for (number, scenario) in program.scenarios.iter().enumerate() {
            let nobody = State::of(program, 0, number);
            let own = program.operations[scenario.operations.clone()].iter();
            constant.extend(own.map(|one| one.steps.iter().map(|step| prepare(&nobody, step)).collect()));
        }
        requests.constant = constant;
        if program.http == Http::Two {
            let of = |(text, step): (&Option<Box<[u8]>>, &CompiledStep)| {
                text.as_deref().map(|text| {
                    let mut fields = Fields::default();
                    let head = fields_of(text, program.places[step.host].scheme(), &mut fields);
                    (head == text.len()).then_some(fields)
                })?
            };
            let all = requests.constant.iter().zip(&program.operations);
            requests.fields =
                all.map(|(texts, one)| texts.iter().zip(&one.steps).map(of).collect()).collect();
        }
        requests
    }

    /// [`Requests::constant`] as fields, of a request without a body.
    pub(crate) fn constant_fields(&self, operation: usize, step: usize) -> Option<&Fields> {
        self.fields.get(operation)?[step].as_ref()
    }

    /// The whole request of a step that is the same for all users without cookies.
    #[inline]
    pub(crate) fn constant(&self, operation: usize, step: usize) -> Option<&[u8]> {
        self.constant[operation][step].as_deref()
    }

    /// Appends the path that a step asks for, the site's base path included.
    pub(crate) fn write_path(&self, step: &CompiledStep, state: &State, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hosts[step.host].base_path);
        step.path.render(state, out);
    }

    /// The path below the base path of a host.
    pub(crate) fn below_base<'a>(&self, host: usize, path: &'a [u8]) -> &'a [u8] {
        path.strip_prefix(&*self.hosts[host].base_path).unwrap_or(path)
    }

    /// A host, to cookies.
    pub(crate) fn origin(&self, host: usize) -> &Origin {
        &self.hosts[host].origin
    }

    /// Writes the request of a step.
    pub(crate) fn write_step(&self, wanted: Wanted<'_>, out: &mut Outgoing, scratch: &mut Vec<u8>) {
        let Wanted { step, host, method, location, state, cookies } = wanted;
        out.clear();
        let text = &mut out.text;
        push(text, &[method.as_str().as_bytes(), b" ", &self.hosts[host].before]);
        let path_from = text.len();
        if location.is_empty() {
            self.write_path(step, state, text);
        } else {
            text.extend_from_slice(location);
        }
        scratch.clear();
        cookies.write(self.origin(host), &text[path_from..], scratch);
        // What is meant for one host does not follow a redirect to another one.
        let own =
            |name: &str| host == step.host || !OF_ONE_HOST.iter().any(|one| name.eq_ignore_ascii_case(one));
        let headers = || step.headers.iter().filter(|(name, _)| own(name));
        let names = |wanted: &str| headers().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let field: &[u8] = if names("host") { b"" } else { &self.hosts[host].field };
        push(text, &[b" HTTP/1.1\r\n", field, &self.hosts[host].who, &self.common[state.scenario()]]);
        if !names("accept") {
            text.extend_from_slice(b"Accept: */*\r\n");
        }
        if !names("accept-encoding") {
            text.extend_from_slice(self.coded[state.scenario()]);
        }
        for (name, value) in headers() {
            push(text, &[name.as_bytes(), b": "]);
            value.render(state, text);
            if name.eq_ignore_ascii_case("cookie") && !scratch.is_empty() {
                push(text, &[b"; ", scratch]);
            }
            text.extend_from_slice(b"\r\n");
        }
        if !names("cookie") {
            push_field(text, b"Cookie", scratch);
        }
        // A redirect that turned the method into GET leaves the body behind.
        if method == method_of(step) {
            write_body(step, state, out, scratch);
        } else {
            text.extend_from_slice(b"\r\n");
        }
    }

    /// Writes the request of what a page refers to.
    pub(crate) fn write_reference(
        &self,
        scenario: usize,
        host: usize,
        path: &[u8],
        cookies: &Cookies,
        validator: Option<&Validator>,
        out: &mut Outgoing,
    ) {
        out.clear();
        push(
            &mut out.text,
            &[
                b"GET ",
                &self.hosts[host].before,
                path,
                b" HTTP/1.1\r\n",
                &self.hosts[host].field,
                &self.hosts[host].who,
                &self.common[scenario],
                b"Accept: */*\r\n",
                self.coded[scenario],
            ],
        );
        if !cookies.is_empty() {
            push(&mut out.text, &[b"Cookie: "]);
            let before = out.text.len();
            cookies.write(self.origin(host), path, &mut out.text);
            if out.text.len() > before {
                push(&mut out.text, &[b"\r\n"]);
            } else {
                out.text.truncate(before - b"Cookie: ".len());
            }
        }
        if let Some(validator) = validator {
            push_field(&mut out.text, b"If-None-Match", validator.etag.as_deref().unwrap_or_default());
            push_field(
                &mut out.text,
                b"If-Modified-Since",
                validator.modified.as_deref().unwrap_or_default(),
            );
        }
        out.text.extend_from_slice(b"\r\n");
    }
}

impl Host {
    fn new(program: &Program, place: &Place) -> Self {
        let asked = program.by_proxy(place) == Some(ByProxy::Asked);
        Self {
            before: if asked { place.origin().into_bytes().into() } else { Box::default() },
            // A tunnel leads to the server itself, which must not get the password of the proxy.
            who: if asked { program.proxy_field.as_bytes().into() } else { Box::default() },
            field: format!("Host: {}\r\n", place.authority).into_bytes().into(),
            base_path: place.base_path.as_bytes().into(),
            origin: Origin::new(&place.authority, place.tls.is_some()),
        }
    }
}

/// The method of a step.
pub(crate) fn method_of(step: &CompiledStep) -> Method {
    Method::parse(step.method).unwrap_or(Method::Get)
}

/// Ends the head and appends the body.
fn write_body(step: &CompiledStep, state: &State, out: &mut Outgoing, scratch: &mut Vec<u8>) {
    scratch.clear();
    match &step.body {
        // A POST without a length would leave the server waiting for one, or refusing.
        CompiledBody::None if matches!(step.method, "POST" | "PUT" | "PATCH") => {
            push_length(&mut out.text, 0)
        }
        CompiledBody::None => out.text.extend_from_slice(b"\r\n"),
        CompiledBody::Form(fields) => {
            for (index, (name, value)) in fields.iter().enumerate() {
                push(scratch, &[if index > 0 { b"&" } else { b"" }, name, b"="]);
                value.render(state, scratch);
            }
            push(&mut out.text, &[b"Content-Type: application/x-www-form-urlencoded\r\n"]);
            push_length(&mut out.text, scratch.len());
            out.text.extend_from_slice(scratch);
        }
        CompiledBody::Raw { content_type, text } => {
            text.render(state, scratch);
            push(&mut out.text, &[b"Content-Type: ", content_type.as_bytes(), b"\r\n"]);
            push_length(&mut out.text, scratch.len());
            out.text.extend_from_slice(scratch);
        }
        CompiledBody::Multipart(parts) => {
            let mut files: Vec<(usize, Filler)> = std::mem::take(&mut out.files);
            parts.iter().for_each(|part| write_part(part, state, scratch, &mut files));
            push(scratch, &[b"--", BOUNDARY.as_bytes(), b"--\r\n"]);
            let of_files: usize = files.iter().map(|(_, file)| file.len()).sum();
            push(
                &mut out.text,
                &[b"Content-Type: multipart/form-data; boundary=", BOUNDARY.as_bytes(), b"\r\n"],
            );
            push_length(&mut out.text, scratch.len() + of_files);
            let head = out.text.len();
            files.iter_mut().for_each(|(at, _)| *at += head);
            out.text.extend_from_slice(scratch);
            out.files = files;
        }
    }
}

fn write_part(part: &CompiledPart, state: &State, out: &mut Vec<u8>, files: &mut Vec<(usize, Filler)>) {
    let (CompiledPart::Field { name, .. } | CompiledPart::File { name, .. }) = part;
    push(
        out,
        &[b"--", BOUNDARY.as_bytes(), b"\r\nContent-Disposition: form-data; name=\"", name.as_bytes(), b"\""],
    );
    match part {
        CompiledPart::Field { text, .. } => {
            out.extend_from_slice(b"\r\n\r\n");
            text.render(state, out);
        }
        CompiledPart::File { filename, content_type, content, .. } => {
            out.extend_from_slice(b"; filename=\"");
            let from = out.len();
            filename.render(state, out);
            // A quote or line end in the name would end the field; browsers write %22 and drop line ends.
            out[from..].iter_mut().filter(|b| matches!(b, b'"' | b'\r' | b'\n')).for_each(|b| *b = b'_');
            push(out, &[b"\"\r\nContent-Type: ", content_type.as_bytes(), b"\r\n\r\n"]);
            files.push((out.len(), content.clone()));
        }
    }
    out.extend_from_slice(b"\r\n");
}

fn push_field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    if !value.is_empty() {
        push(out, &[name, b": ", value, b"\r\n"]);
    }
}

/// The length of a body and the end of the head.
fn push_length(out: &mut Vec<u8>, length: usize) {
    use std::io::Write;
    // Writing to a Vec cannot fail.
    let _ = write!(out, "Content-Length: {length}\r\n\r\n");
}

fn push(out: &mut Vec<u8>, pieces: &[&[u8]]) {
    pieces.iter().for_each(|piece| out.extend_from_slice(piece));
}
