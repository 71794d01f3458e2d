//! A connection as its owner sees it.

use std::ffi::c_void;
use std::ptr::{NonNull, null, null_mut};

use libnghttp2_sys::*;

use crate::callbacks::{Callbacks, read_upload};
use crate::fields::Fields;
use crate::state::{Signal, State};
use crate::stream::{Answer, Done, Keep, Lost, Phase, StreamKey, Upload};
use crate::{CONNECTION_WINDOW, MOST_EMPTY_BYTES, MOST_HEAD, STREAM_WINDOW, words};

/// The client's side of an HTTP/2 connection.
pub struct Client {
    session: NonNull<nghttp2_session>,
    /// Callbacks write to it, so it is borrowed only while nghttp2 does not run.
    state: NonNull<State>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("open", &self.open_streams()).finish_non_exhaustive()
    }
}

impl Client {
    /// A connection on which nothing was sent yet.
    ///
    /// # Panics
    /// When there is no memory.
    #[expect(clippy::new_without_default, reason = "a connection is no value that anything defaults to")]
    pub fn new() -> Self {
        let state = NonNull::from(Box::leak(Box::<State>::default()));
        let callbacks = Callbacks::new();
        let mut session = null_mut();
        // SAFETY: the callbacks are copied; the state outlives the session, which `drop` ends first.
        let failed = unsafe {
            nghttp2_session_client_new2(&mut session, callbacks.raw(), state.as_ptr().cast(), null())
        };
        let session = NonNull::new(session).filter(|_| failed == 0).expect("no memory for a connection");
        let settings = [
            (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, MOST_HEAD as u32),
        ]
        .map(|(setting, value)| nghttp2_settings_entry { settings_id: setting as i32, value });
        // SAFETY: the session lives; the entries are copied. Both fail only without memory.
        let failed = unsafe {
            nghttp2_submit_settings(session.as_ptr(), 0, settings.as_ptr(), settings.len())
                + nghttp2_session_set_local_window_size(session.as_ptr(), 0, 0, CONNECTION_WINDOW as i32)
        };
        assert_eq!(failed, 0, "no memory for a connection");
        Self { session, state }
    }

    /// Opens a stream with a request; [`Done::tag`] will be `tag`. It goes out with the next
    /// [`Client::write`], or later if the server allows no more streams now.
    ///
    /// # Errors
    /// A sentence's end when the connection takes no more requests.
    pub fn open(
        &mut self,
        fields: &Fields,
        upload: Option<Box<dyn Upload>>,
        keep: Keep,
        tag: u64,
    ) -> Result<StreamKey, String> {
        let state = self.state_mut();
        let key = state.admit();
        let mut pairs = std::mem::take(&mut state.pairs);
        fields.as_pairs(&mut pairs);
        let stream = &mut state.streams[key as usize];
        (stream.tag, stream.keep, stream.only_coded) = (tag, keep != Keep::Nothing, keep == Keep::Coded);
        let has_body = upload.is_some();
        stream.upload = upload;
        let provider = nghttp2_data_provider2 {
            source: nghttp2_data_source { ptr: stream_data(key) },
            read_callback: Some(read_upload),
        };
        let body = if has_body { &raw const provider } else { null() };
        // SAFETY: the session lives; fields and provider are copied.
        let id = unsafe {
            let session = self.session.as_ptr();
            nghttp2_submit_request2(session, null(), pairs.as_ptr(), pairs.len(), body, stream_data(key))
        };
        let state = self.state_mut();
        state.pairs = pairs;
        if id < 0 {
            state.give_up(key);
            state.forget(key);
            return Err(format!("no stream: {}", words::error(id)));
        }
        state.streams[key as usize].id = id;
        Ok(StreamKey(key))
    }

    /// The answer of the stream is not wanted any more. The server is told, and the stream is never done.
    pub fn cancel(&mut self, StreamKey(key): StreamKey) {
        let state = self.state_mut();
        let id = state.streams[key as usize].id;
        if state.streams[key as usize].phase == Phase::Open {
            state.give_up(key);
            self.reset(id);
        }
    }

    fn reset(&mut self, id: i32) {
        // SAFETY: the session lives. It fails without memory, or for a stream that is over.
        let _ = unsafe { nghttp2_submit_rst_stream(self.session.as_ptr(), 0, id, NGHTTP2_CANCEL) };
    }

    /// What is fed from now on came at this time of the owner's clock; [`Done::first`] has it again.
    pub fn set_now(&mut self, now: u64) {
        self.state_mut().now = now;
    }

    /// Takes what was received. Afterwards [`Client::next_done`] and [`Client::write`] have something, perhaps.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.state().fault.is_some() {
            return;
        }
        let state = self.state_mut();
        if !std::mem::replace(&mut state.heard, true) && bytes.starts_with(b"HTTP/1") {
            state.fault = Some("the server answers in HTTP/1: it knows no HTTP/2 without TLS's ALPN".into());
            return;
        }
        state.empty_bytes += bytes.len();
        // SAFETY: the session lives, and nobody borrows the state.
        let used = unsafe { nghttp2_session_mem_recv2(self.session.as_ptr(), bytes.as_ptr(), bytes.len()) };
        if used < 0 {
            let state = self.state_mut();
            let complaint = state.complaint.take();
            let said = complaint.unwrap_or_else(|| words::error(used as i32).to_lowercase());
            state.fault.get_or_insert(format!("the server breaks HTTP/2: {said}"));
        } else if self.state().empty_bytes > MOST_EMPTY_BYTES {
            let said = "the server sent a MiB of frames that bring nothing";
            self.state_mut().fault.get_or_insert(said.into());
        }
    }

    /// The next stream that is done.
    pub fn next_done(&mut self) -> Option<Done> {
        self.state_mut().done.pop_front()
    }

    /// Whether there is one.
    pub fn has_done(&self) -> bool {
        !self.state().done.is_empty()
    }

    /// Takes the buffers of an answer back.
    pub fn recycle(&mut self, answer: Answer) {
        self.state_mut().recycle(answer);
    }

    /// Appends what is to be sent to `out`, until that has `most` bytes or a frame more. What a server keeps from
    /// being sent by its windows stays.
    pub fn write(&mut self, out: &mut Vec<u8>, most: usize) {
        while out.len() < most {
            let mut piece = null();
            // SAFETY: the session lives, and nobody borrows the state.
            let length = unsafe { nghttp2_session_mem_send2(self.session.as_ptr(), &mut piece) };
            match length {
                0 => return,
                1.. => {
                    // SAFETY: nghttp2 says that so much is there, until it is called again.
                    out.extend_from_slice(unsafe { std::slice::from_raw_parts(piece, length as usize) });
                }
                _ => {
                    let said = format!("no frame could be written: {}", words::error(length as i32));
                    self.state_mut().fault.get_or_insert(said);
                    return;
                }
            }
        }
    }

    /// Streams whose answers are awaited.
    pub fn open_streams(&self) -> u32 {
        self.state().open
    }

    /// How many of them the server allows at once; 100 before it has said so.
    pub fn most_streams(&self) -> u32 {
        // SAFETY: the session lives.
        unsafe {
            nghttp2_session_get_remote_settings(
                self.session.as_ptr(),
                NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
            )
        }
    }

    /// Whether the server wants no more requests on this connection.
    pub fn is_leaving(&self) -> bool {
        self.state().leaving
    }

    /// Whether nothing more can be done with the connection.
    pub fn is_over(&self) -> bool {
        // SAFETY: the session lives.
        self.state().fault.is_some()
            || unsafe {
                nghttp2_session_want_read(self.session.as_ptr()) == 0
                    && nghttp2_session_want_write(self.session.as_ptr()) == 0
            }
    }

    /// What is wrong with the connection, as a sentence.
    pub fn fault(&self) -> Option<&str> {
        self.state().fault.as_deref()
    }

    /// What the server said as it ended the connection.
    pub fn farewell(&self) -> Option<&str> {
        self.state().farewell.as_deref()
    }

    /// The frames by which streams and the connection were given up, since this was asked last.
    pub fn take_signals(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.state_mut().signals)
    }

    /// All streams are done, because the connection is: with `lost`. Streams whose requests never left may be
    /// sent again.
    pub fn abandon(&mut self, lost: &Lost) {
        let state = self.state_mut();
        for key in 0..state.streams.len() as u32 {
            let never_left = state.streams[key as usize].sent == 0;
            let unprocessed = || Lost::Unprocessed("the connection ended before the request left".into());
            state.finish(key, Err(if never_left { unprocessed() } else { lost.clone() }));
        }
    }

    /// Says that nothing more will be asked; [`Client::write`] has that.
    pub fn leave(&mut self) {
        // SAFETY: the session lives. It fails only without memory.
        let _ = unsafe { nghttp2_session_terminate_session(self.session.as_ptr(), NGHTTP2_NO_ERROR) };
    }

    fn state(&self) -> &State {
        // SAFETY: it lives as long as `self`, and nghttp2 does not run.
        unsafe { self.state.as_ref() }
    }

    fn state_mut(&mut self) -> &mut State {
        // SAFETY: as above; `self` is borrowed mutably.
        unsafe { self.state.as_mut() }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: both were made by `new`, and nobody else ends them.
        unsafe {
            nghttp2_session_del(self.session.as_ptr());
            drop(Box::from_raw(self.state.as_ptr()));
        }
    }
}

/// What nghttp2 keeps with a stream: its key, one higher, since zero is none.
fn stream_data(key: u32) -> *mut c_void {
    std::ptr::without_provenance_mut(key as usize + 1)
}
