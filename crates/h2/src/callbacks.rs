//! What nghttp2 tells while it reads and writes frames.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use libnghttp2_sys::*;

use crate::state::State;
use crate::stream::{Lost, Phase, Stream};
use crate::{MOST_BODY, MOST_EMPTY, MOST_HEAD, MOST_INTERIM, words};

/// What an entry of a head's list counts besides its name and value (RFC 9113 §6.5.2).
const ENTRY: usize = 32;
const TOO_LARGE: &str = "the body is larger than 64 MiB";
const HEAD_TOO_LONG: &str = "the head is longer than 64 KiB";

/// nghttp2's list of callbacks; sessions copy it.
pub(crate) struct Callbacks(*mut nghttp2_session_callbacks);

impl Callbacks {
    pub(crate) fn new() -> Self {
        let mut list = null_mut();
        // SAFETY: the list is made first, and only set afterwards.
        unsafe {
            assert_eq!(nghttp2_session_callbacks_new(&mut list), 0, "no memory for a connection");
            nghttp2_session_callbacks_set_on_begin_frame_callback(list, Some(on_begin_frame));
            nghttp2_session_callbacks_set_on_header_callback(list, Some(on_header));
            nghttp2_session_callbacks_set_on_data_chunk_recv_callback(list, Some(on_data));
            nghttp2_session_callbacks_set_on_frame_recv_callback(list, Some(on_frame));
            nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(list, Some(on_invalid_frame));
            nghttp2_session_callbacks_set_on_frame_send_callback(list, Some(on_sent));
            nghttp2_session_callbacks_set_on_frame_not_send_callback(list, Some(on_not_sent));
            nghttp2_session_callbacks_set_on_stream_close_callback(list, Some(on_close));
            nghttp2_session_callbacks_set_error_callback2(list, Some(on_complaint));
        }
        Self(list)
    }

    pub(crate) fn raw(&self) -> *const nghttp2_session_callbacks {
        self.0
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        // SAFETY: it was made by `new`.
        unsafe { nghttp2_session_callbacks_del(self.0) }
    }
}

/// # Safety
/// `user_data` is what the session was made with, and no other reference to it lives.
unsafe fn state<'a>(user_data: *mut c_void) -> &'a mut State {
    // SAFETY: see above.
    unsafe { &mut *user_data.cast() }
}

/// The key of a stream that is ours.
///
/// # Safety
/// `session` lives.
unsafe fn key_of(session: *mut nghttp2_session, state: &mut State, id: i32) -> Option<u32> {
    if state.last.0 == id && id != 0 {
        return Some(state.last.1);
    }
    // SAFETY: the session lives; any identifier may be asked for.
    let data = unsafe { nghttp2_session_get_stream_user_data(session, id) };
    let key = (data.addr() as u32).checked_sub(1)?;
    state.last = (id, key);
    Some(key)
}

unsafe extern "C" fn on_begin_frame(
    session: *mut nghttp2_session,
    head: *const nghttp2_frame_hd,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and a head that lives.
    let (head, state) = unsafe { (&*head, state(user_data)) };
    if matches!(u32::from(head.type_), NGHTTP2_HEADERS | NGHTTP2_DATA) {
        // SAFETY: nghttp2 calls with the session.
        if let Some(key) = unsafe { key_of(session, state, head.stream_id) } {
            let stream = &mut state.streams[key as usize];
            stream.received += head.length as u64 + 9;
            // An answer begins with a head: content before one is refused.
            stream.first = stream.first.or(Some(state.now));
        }
    }
    if u32::from(head.type_) == NGHTTP2_HEADERS {
        state.progress();
        return 0;
    }
    state.empty += 1;
    if state.empty > MOST_EMPTY {
        let said = format!("the server sent {MOST_EMPTY} frames in a row that bring nothing");
        state.fault.get_or_insert(said);
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    0
}

unsafe extern "C" fn on_header(
    session: *mut nghttp2_session,
    frame: *const nghttp2_frame,
    name: *const u8,
    name_length: usize,
    value: *const u8,
    value_length: usize,
    _flags: u8,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, a frame of its own, and texts of these lengths.
    let (state, id, name, value) = unsafe {
        (
            state(user_data),
            (*frame).hd.stream_id,
            std::slice::from_raw_parts(name, name_length),
            std::slice::from_raw_parts(value, value_length),
        )
    };
    // SAFETY: nghttp2 calls with the session.
    let Some(key) = (unsafe { key_of(session, state, id) }) else { return 0 };
    let stream = &mut state.streams[key as usize];
    if stream.phase != Phase::Open {
        return 0;
    }
    stream.head_size += name.len() + value.len() + ENTRY;
    if stream.head_size > MOST_HEAD {
        stream.fault = Some(HEAD_TOO_LONG);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    // Fields behind the content are counted above, and nobody reads them.
    if !stream.has_head {
        stream.take_field(name, value);
    }
    0
}

impl Stream {
    fn take_field(&mut self, name: &[u8], value: &[u8]) {
        if name == b":status" {
            self.answer.status =
                value.iter().fold(0, |sum: u16, digit| sum.wrapping_mul(10) + u16::from(digit & 15));
            return;
        }
        for piece in [name, b": ", value, b"\r\n"] {
            self.answer.head.extend_from_slice(piece);
        }
    }

    /// The head is whole; the reason to give the stream up, if there is one.
    fn end_head(&mut self) -> Result<(), &'static str> {
        if self.has_head {
            return Ok(());
        }
        if self.answer.status < 200 {
            self.interim += 1;
            self.answer.status = 0;
            self.answer.head.clear();
            let many = self.interim > MOST_INTERIM;
            return if many { Err("more than 16 interim answers came first") } else { Ok(()) };
        }
        self.has_head = true;
        if self.only_coded {
            let coding = memchr::memmem::find(&self.answer.head, b"content-encoding: ");
            self.keep = coding.is_some();
        }
        Ok(())
    }

    fn take_content(&mut self, content: &[u8]) -> Result<(), &'static str> {
        self.answer.length += content.len() as u64;
        if self.keep {
            if self.answer.body.len() + content.len() > MOST_BODY {
                return Err(TOO_LARGE);
            }
            self.answer.body.extend_from_slice(content);
        }
        Ok(())
    }
}

unsafe extern "C" fn on_data(
    session: *mut nghttp2_session,
    _flags: u8,
    id: i32,
    content: *const u8,
    length: usize,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and content of this length.
    let (state, content) = unsafe { (state(user_data), std::slice::from_raw_parts(content, length)) };
    if length > 0 {
        state.progress();
    }
    // SAFETY: nghttp2 calls with the session.
    let Some(key) = (unsafe { key_of(session, state, id) }) else { return 0 };
    let stream = &mut state.streams[key as usize];
    if stream.phase == Phase::Open
        && let Err(fault) = stream.take_content(content)
    {
        // SAFETY: as above.
        unsafe { give_up(session, state, key, fault) };
    }
    0
}

/// Resets a stream that goes beyond a limit.
///
/// # Safety
/// `session` lives.
unsafe fn give_up(session: *mut nghttp2_session, state: &mut State, key: u32, fault: &'static str) {
    let id = state.streams[key as usize].id;
    state.finish(key, Err(Lost::Wrong(fault.into())));
    // SAFETY: the session lives; without memory the stream just stays.
    let _ = unsafe { nghttp2_submit_rst_stream(session, 0, id, NGHTTP2_CANCEL) };
}

unsafe extern "C" fn on_frame(
    session: *mut nghttp2_session,
    frame: *const nghttp2_frame,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and a frame whose head says which it is.
    let (state, frame) = unsafe { (state(user_data), &*frame) };
    // SAFETY: every frame begins with its head.
    let head = unsafe { frame.hd };
    match u32::from(head.type_) {
        kind @ (NGHTTP2_HEADERS | NGHTTP2_DATA) => {
            // SAFETY: nghttp2 calls with the session.
            let Some(key) = (unsafe { key_of(session, state, head.stream_id) }) else { return 0 };
            let stream = &mut state.streams[key as usize];
            if stream.phase != Phase::Open {
                return 0;
            }
            if kind == NGHTTP2_HEADERS
                && let Err(fault) = stream.end_head()
            {
                // SAFETY: as above.
                unsafe { give_up(session, state, key, fault) };
                return 0;
            }
            if u32::from(head.flags) & NGHTTP2_FLAG_END_STREAM != 0 && stream.has_head {
                // The server does not want the rest of the request.
                let unread = stream.upload.is_some();
                state.finish(key, Ok(()));
                if unread {
                    // SAFETY: as above.
                    let _ = unsafe { nghttp2_submit_rst_stream(session, 0, head.stream_id, NGHTTP2_CANCEL) };
                }
            }
        }
        NGHTTP2_RST_STREAM => {
            // SAFETY: the head says so.
            let code = unsafe { frame.rst_stream.error_code };
            state.signal(true, "RST_STREAM", code);
            // SAFETY: nghttp2 calls with the session.
            if let Some(key) = unsafe { key_of(session, state, head.stream_id) } {
                state.streams[key as usize].reset = true;
            }
        }
        NGHTTP2_GOAWAY => {
            // SAFETY: the head says so.
            let goaway = unsafe { frame.goaway };
            state.signal(true, "GOAWAY", goaway.error_code);
            state.leaving = true;
            state.farewell = Some(farewell(&goaway));
        }
        _ => {}
    }
    0
}

/// `GOAWAY ENHANCE_YOUR_CALM (too many requests)`.
fn farewell(goaway: &nghttp2_goaway) -> String {
    let code = words::code(goaway.error_code);
    match text_of(goaway) {
        text if text.is_empty() => format!("GOAWAY {code}"),
        text => format!("GOAWAY {code} ({text})"),
    }
}

fn text_of(goaway: &nghttp2_goaway) -> String {
    if goaway.opaque_data.is_null() {
        return String::new();
    }
    // SAFETY: nghttp2 keeps so many bytes with the frame.
    words::said(unsafe { std::slice::from_raw_parts(goaway.opaque_data, goaway.opaque_data_len) })
}

unsafe extern "C" fn on_invalid_frame(
    _session: *mut nghttp2_session,
    frame: *const nghttp2_frame,
    error: c_int,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and every frame begins with its head.
    let (state, kind) = unsafe { (state(user_data), (*frame).hd.type_) };
    let said = format!("{} frame: {}", words::frame(kind), words::error(error));
    state.complaint.get_or_insert(said);
    0
}

unsafe extern "C" fn on_sent(
    session: *mut nghttp2_session,
    frame: *const nghttp2_frame,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and a frame whose head says which it is.
    let (state, frame) = unsafe { (state(user_data), &*frame) };
    // SAFETY: every frame begins with its head.
    let head = unsafe { frame.hd };
    match u32::from(head.type_) {
        NGHTTP2_HEADERS | NGHTTP2_DATA => {
            // A server that takes an upload in sends nothing but windows.
            state.progress();
            // SAFETY: nghttp2 calls with the session.
            if let Some(key) = unsafe { key_of(session, state, head.stream_id) } {
                state.streams[key as usize].sent += head.length as u64 + 9;
            }
        }
        NGHTTP2_RST_STREAM => {
            // SAFETY: the head says so.
            state.signal(false, "RST_STREAM", unsafe { frame.rst_stream.error_code });
        }
        NGHTTP2_GOAWAY => {
            // SAFETY: the head says so.
            let goaway = unsafe { frame.goaway };
            if goaway.error_code != NGHTTP2_NO_ERROR {
                state.signal(false, "GOAWAY", goaway.error_code);
                let said = match (state.complaint.take(), text_of(&goaway)) {
                    (Some(complaint), _) => complaint,
                    (None, text) if !text.is_empty() => text,
                    _ => words::code(goaway.error_code),
                };
                state.fault.get_or_insert(format!("the server breaks HTTP/2: {said}"));
            }
        }
        _ => {}
    }
    0
}

unsafe extern "C" fn on_not_sent(
    _session: *mut nghttp2_session,
    frame: *const nghttp2_frame,
    _error: c_int,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and every frame begins with its head.
    let (state, head) = unsafe { (state(user_data), (*frame).hd) };
    if u32::from(head.type_) == NGHTTP2_HEADERS {
        let of = |stream: &Stream| stream.phase != Phase::Free && stream.id == head.stream_id;
        if let Some(key) = state.streams.iter().position(of) {
            state.finish(key as u32, Err(Lost::Unprocessed("the connection takes no more requests".into())));
            state.forget(key as u32);
        }
    }
    0
}

unsafe extern "C" fn on_close(
    session: *mut nghttp2_session,
    id: i32,
    code: u32,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and with the session.
    let state = unsafe { state(user_data) };
    // SAFETY: as above.
    let Some(key) = (unsafe { key_of(session, state, id) }) else { return 0 };
    if state.streams[key as usize].phase == Phase::Open {
        let lost = lost(state, key, code);
        state.finish(key, Err(lost));
    }
    state.forget(key);
    0
}

/// Why a stream was closed before its answer was whole.
fn lost(state: &mut State, key: u32, code: u32) -> Lost {
    let stream = &state.streams[key as usize];
    if let Some(fault) = stream.fault {
        return Lost::Wrong(fault.into());
    }
    let name = words::code(code);
    if code == NGHTTP2_REFUSED_STREAM {
        let by = state.farewell.as_deref().unwrap_or("RST_STREAM REFUSED_STREAM");
        return Lost::Unprocessed(format!("the server did not take the request: {by}"));
    }
    if stream.reset {
        return Lost::Ended(format!("the server reset the stream: RST_STREAM {name}"));
    }
    if code == NGHTTP2_NO_ERROR {
        return Lost::Ended("the stream ended before the whole answer".into());
    }
    let said = state.complaint.take().unwrap_or(name);
    Lost::Wrong(format!("the answer breaks HTTP/2: {said}"))
}

unsafe extern "C" fn on_complaint(
    _session: *mut nghttp2_session,
    _error: c_int,
    text: *const c_char,
    length: usize,
    user_data: *mut c_void,
) -> c_int {
    // SAFETY: nghttp2 calls with what it was given, and a text of this length.
    let (state, text) = unsafe { (state(user_data), std::slice::from_raw_parts(text.cast::<u8>(), length)) };
    state.complaint = Some(words::said(text));
    0
}

/// Hands nghttp2 the next bytes of a request's body.
pub(crate) unsafe extern "C" fn read_upload(
    _session: *mut nghttp2_session,
    _id: i32,
    buffer: *mut u8,
    length: usize,
    flags: *mut u32,
    source: *mut nghttp2_data_source,
    user_data: *mut c_void,
) -> nghttp2_ssize {
    // SAFETY: nghttp2 calls with what it was given, and a buffer of this length.
    let (state, key, buffer) = unsafe {
        (state(user_data), (*source).ptr.addr() - 1, std::slice::from_raw_parts_mut(buffer, length))
    };
    let Some(upload) = &mut state.streams[key].upload else {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE as nghttp2_ssize;
    };
    let (written, done) = upload.read(buffer);
    if done {
        state.streams[key].upload = None;
        // SAFETY: nghttp2 wants to know.
        unsafe { *flags |= NGHTTP2_DATA_FLAG_EOF };
    }
    written as nghttp2_ssize
}
