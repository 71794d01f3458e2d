//! What a server has done since it started, under the names that the container uses where they mean the same.

/// Counts, and the state now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Connections accepted.
    pub accepted: u64,
    /// Complete requests answered by the application.
    pub requests: u64,
    /// Responses by class of status.
    pub responses: [u64; 5],
    /// Requests refused by the server itself.
    pub bad_requests: u64,
    /// Clients slow in a head, in a body, at reading.
    pub slow: [u64; 3],
    /// Connections closed after no request had come for long.
    pub closed_idle: u64,
    /// Connections closed idle before their time because others asked for one.
    pub evicted: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
    /// Open connections now.
    pub open_connections: u64,
}

impl Counters {
    /// Counts a response.
    pub(super) fn response(&mut self, status: u16) {
        self.responses[usize::from(status / 100).clamp(1, 5) - 1] += 1;
    }
}
