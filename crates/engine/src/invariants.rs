//! What holds between two turns of the event loop. Builds with debug assertions check it each time the loop
//! looks for requests that took too long: in every test. A release build skips it.

use crate::driver::Driver;
use crate::user::{Stage, User};

impl Driver<'_> {
    /// # Panics
    /// When the gauges count others than there are, or a user waits for nothing: then a run reports what did
    /// not happen, or a user is never heard of again.
    pub(crate) fn assert_sound(&self, users: &[User]) {
        let established = |user: &&User| user.connection.as_ref().is_some_and(|one| one.established);
        let busy = users.iter().filter(|user| user.is_busy()).count();
        let here = match &self.offered {
            // What lives are operations, not connections.
            Some(offered) => busy + offered.waiting() as usize,
            None => users.iter().filter(|user| user.stage != Stage::Away).count(),
        };
        assert_eq!(self.recorder.users.living() as usize, here, "users");
        assert_eq!(self.gauges.in_flight as usize, busy, "operations under way");
        let links = self.multiplex.as_ref().map_or(0, |all| all.connections());
        let aside: usize = users.iter().map(|user| user.aside.len()).sum();
        let in_lanes = users.iter().flat_map(|user| &user.lanes).filter_map(|lane| lane.connection.as_ref());
        let beside = in_lanes.filter(|one| one.established).count();
        let sockets = users.iter().filter(|user| user.socket.is_some()).count();
        let made = users.iter().filter(established).count() + aside + beside + links + sockets;
        assert_eq!(self.gauges.connections as usize, made, "connections");
        for (token, user) in (0..).zip(users) {
            assert_eq!(user.token, token, "events would reach another user");
            match user.stage {
                Stage::Away => assert!(
                    user.connection.is_none() && user.aside.is_empty(),
                    "user {token} left a connection behind"
                ),
                // When the operations of the plan are used up, it stays.
                Stage::Idle => {
                    let waits =
                        user.wake < u64::MAX || self.shared.budget.is_some() || self.offered.is_some();
                    assert!(waits && user.work.is_none(), "user {token} is never woken, or keeps buffers");
                }
                Stage::Listening => assert!(user.socket.is_some(), "user {token} listens to nothing"),
                Stage::Calling => assert!(user.deadline < u64::MAX, "user {token} awaits a call for ever"),
                Stage::Gathering => assert!(!user.lanes.is_empty(), "user {token} waits for no file"),
                Stage::Pausing | Stage::Knocking => {
                    assert!(user.wake < u64::MAX, "user {token} pauses without an end")
                }
                Stage::Connecting
                | Stage::Tunnelling
                | Stage::Handshaking
                | Stage::Sending
                | Stage::Reading
                | Stage::Joining => {
                    let waits = user.connection.is_some() || !user.streams.is_empty();
                    assert!(waits || user.stage == Stage::Joining, "user {token} waits for no connection");
                    let last = self.now + user.patience;
                    assert!(user.deadline <= last, "the request of user {token} never takes too long");
                }
            }
            let left =
                user.in_lane || user.lost_file.is_some() || (!user.is_busy() && !user.lanes.is_empty());
            assert!(!left, "user {token} left files behind");
            assert!(!user.is_busy() || user.intended <= user.sent, "user {token} began before its time");
        }
    }
}
