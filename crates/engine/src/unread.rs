//! Answers that stay unread until the next arrival, so that the engine wakes once for each operation.
//!
//! At some thousand operations a second most of what one costs is two awakenings: for its arrival, and for its
//! answer. Where nothing hangs on an answer but its record, it is read when the next operation has been sent. The
//! kernel stamps what it receives ([`stamp`]), so that times do not grow by that.

use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;
use std::time::Duration;

use loadstone_workload::{Http, Place, Program};
use rustix::event::epoll::Event;
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Errno;

use crate::driver::Driver;
use crate::recorder::SECOND;
use crate::user::User;

/// No answer waits longer than this: what arrives seldom is read at once.
const LONGEST: u64 = 1_000;
/// Where something hung on being prompt, nothing waits for so long: what takes longer may seem a hundredth longer.
const PROMPT: u64 = 100 * LONGEST;
/// An answer of which so much waits may be held up by its connection's window, 64 KiB at first.
const LARGE: usize = 32 << 10;

/// Whether answers may wait.
#[derive(Debug)]
pub(crate) struct Unread {
    /// None does before.
    prompt_until: u64,
    /// Whether those that are read now have waited, and how many have.
    waited: bool,
    count: u64,
}

impl Unread {
    /// Of operations that arrive at a rate, each of one request by plain HTTP/1.1 over TCP.
    pub(crate) fn of(program: &Program) -> Option<Self> {
        // The kernel stamps nothing on Unix sockets.
        let stamped = |place: &Place| place.tls.is_none() && place.socket.is_none();
        let plain = program.http != Http::Two && program.places.iter().all(stamped);
        let alone = program.operations.iter().all(|operation| !operation.has_parts());
        (program.load.requests_per_s.is_some() && plain && alone).then_some(Self {
            prompt_until: 0,
            waited: false,
            count: 0,
        })
    }
}

impl Driver<'_> {
    /// For a while events are looked at as they come: something hangs on it.
    #[inline]
    pub(crate) fn be_prompt(&mut self) {
        if let Some(unread) = &mut self.unread {
            unread.prompt_until = self.now + PROMPT;
        }
    }

    /// More is asked for because of an answer: that begins now, and not when the answer arrived.
    #[inline]
    pub(crate) fn go_on_promptly(&mut self) {
        if self.unread.is_some() {
            self.now = self.clock.now();
            self.be_prompt();
        }
    }

    /// When the last piece of an answer arrived, `age` before now: in the second that is counted now.
    pub(crate) fn received_at(&mut self, user: &User, age: Option<Duration>) -> u64 {
        let now = self.clock.now();
        let (Some(unread), Some(age)) = (&mut self.unread, age) else { return now };
        unread.count += u64::from(unread.waited);
        let earliest = user.sent.max(self.recorder.window_end() - SECOND);
        before(now, age, earliest)
    }

    /// The same of a piece that is not the last.
    pub(crate) fn piece_at(&self, user: &User, age: Option<Duration>) -> u64 {
        let now = self.clock.now();
        match (&self.unread, age) {
            (Some(_), Some(age)) => before(now, age, user.sent),
            _ => now,
        }
    }

    /// So much was received at once.
    #[inline]
    pub(crate) fn saw_received(&mut self, length: usize) {
        if length >= LARGE {
            self.be_prompt();
        }
    }

    /// Deals with the events that are there, and sleeps until the next arrival; what comes meanwhile waits. Where
    /// something else is due before, events are looked at once more: answers belong to their second, and come
    /// before their time-out.
    pub(crate) fn look_and_sleep(
        &mut self,
        users: &mut [User],
        events: &mut [MaybeUninit<Event>],
        arrival: u64,
        besides: u64,
    ) {
        self.unread.iter_mut().for_each(|unread| unread.waited = true);
        self.wait(users, events, 0);
        // What was seen may hold a reason to be prompt.
        if self.may_wait(arrival) {
            self.clock.sleep_until(arrival.min(besides));
            if self.clock.now() >= besides {
                self.wait(users, events, 0);
            }
        }
        self.unread.iter_mut().for_each(|unread| unread.waited = false);
    }

    /// Hands over how many answers have waited.
    pub(crate) fn tell_unread(&self) {
        let count = self.unread.as_ref().map_or(0, |unread| unread.count);
        self.shared.unread.fetch_add(count, Ordering::Relaxed);
    }

    /// Whether answers may wait until `arrival`, the next one.
    pub(crate) fn may_wait(&self, arrival: u64) -> bool {
        let (Some(unread), Some(offered)) = (&self.unread, &self.offered) else { return false };
        unread.prompt_until <= self.now
            && arrival.saturating_sub(self.now) <= LONGEST
            && !offered.idle.is_empty()
            && offered.waiting() == 0
    }
}

/// The instant `age` before `now`, and not before `earliest`.
fn before(now: u64, age: Duration, earliest: u64) -> u64 {
    now.saturating_sub(age.as_micros() as u64).max(earliest).min(now)
}

/// Has the kernel stamp what arrives on a socket; without stamps times count to when they are read.
pub(crate) fn stamp(socket: BorrowedFd<'_>) -> bool {
    let on: libc::c_int = 1;
    // SAFETY: the pointer is valid for the length that is told.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    result == 0
}

/// Room for the stamp, aligned as messages are.
#[repr(C)]
union Control {
    header: libc::cmsghdr,
    bytes: [u8; 64],
}

/// Receives into `buffer`: how much, and how long ago the last byte of it arrived.
pub(crate) fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<(usize, Option<Duration>), Errno> {
    let mut control = MaybeUninit::<Control>::uninit();
    let mut piece = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all zeros are a valid message without a name.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut piece;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: the message points to one piece and room for control data, both valid for their lengths.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    let Ok(length) = usize::try_from(length) else {
        return Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO));
    };
    // SAFETY: the kernel filled the message in; a first header, if there is one, lies whole in the control data,
    // and the stamp behind it is read without regard to alignment.
    let stamp = unsafe {
        libc::CMSG_FIRSTHDR(&raw const message).as_ref().and_then(|header| {
            let stamped = (header.cmsg_level, header.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS);
            stamped.then(|| libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned())
        })
    };
    Ok((length, stamp.map(age)))
}

/// How long ago the system's clock showed this; nothing if it was set back meanwhile.
fn age(stamp: libc::timespec) -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    let nanos = (now.tv_sec - stamp.tv_sec) * 1_000_000_000 + (now.tv_nsec - stamp.tv_nsec);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    use rustix::fd::AsFd;

    use super::*;

    #[test]
    fn the_stamp_tells_how_long_an_answer_waited() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut theirs, _) = listener.accept().unwrap();
        assert!(stamp(ours.as_fd()));
        let mut buffer = [0; 16];
        // The kernel begins to stamp a moment after the first socket asks for it.
        let mut seen = None;
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(10));
            let sent = std::time::Instant::now();
            theirs.write_all(b"answer").unwrap();
            std::thread::sleep(Duration::from_millis(5));
            let (length, age) = receive(ours.as_fd(), &mut buffer).unwrap();
            assert_eq!(&buffer[..length], b"answer");
            seen = age.map(|age| (age, sent.elapsed()));
            if seen.is_some() {
                break;
            }
        }
        let (age, since_sent) = seen.expect("stamps");
        assert!(age <= since_sent, "{age:?} of {since_sent:?}");
        assert!(age >= Duration::from_millis(4), "{age:?}: it waited for as long as we slept");
        assert_eq!(age_of_tomorrow(), Duration::ZERO);
    }

    fn age_of_tomorrow() -> Duration {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        age(libc::timespec { tv_sec: now.tv_sec + 86_400, tv_nsec: 0 })
    }
}
