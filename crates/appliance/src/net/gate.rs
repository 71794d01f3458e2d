//! Who may ask for a connection.

/// Who may ask for a connection at a port. What comes when nobody listens waits until it was seen whether there
/// can be another socket. If not it is dropped, not refused: the client asks again soon, and a socket may be
/// free by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gate {
    /// The port that connections are counted for.
    pub port: u16,
    /// Bytes that a socket takes without being read.
    pub receives: usize,
    /// Sockets that still listen.
    pub listening: usize,
    /// Sockets that may still be taken by who has asked and not gone on; who asks beyond gets an answer that takes
    /// none.
    pub may_open: usize,
    /// Whether there can be no more sockets now.
    pub full: bool,
    /// Whether a frame waits for a socket.
    pub waits: bool,
    /// Times that a connection was asked for in vain.
    pub dropped: u64,
}

/// What becomes of who asks for a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    In,
    Waits,
    Dropped,
}

impl Gate {
    /// Somebody asks for a connection; `proven`: and is known to be there.
    pub(super) fn ask(&mut self, proven: bool) -> Admission {
        if self.listening > 0 {
            self.listening -= 1;
            self.may_open = self.may_open.saturating_sub(usize::from(!proven));
            return Admission::In;
        }
        self.waits = !self.full;
        self.dropped += u64::from(self.full);
        if self.full { Admission::Dropped } else { Admission::Waits }
    }
}
