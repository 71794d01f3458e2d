//! Connections that operations share: how many of these may be on each, and who waits for one.

use super::link::Owner;
use super::{LinkKey, Multiplex};
use crate::driver::Driver;

/// One shared connection. Its operations are carried by users whose tokens are its number and that plus
/// multiples of the number of all connections.
#[derive(Debug)]
pub(super) struct Pool {
    pub link: Option<LinkKey>,
    /// Who makes the connection, and who waits for that.
    pub connecting: Option<u32>,
    pub waiting: Vec<u32>,
    /// The server has chosen HTTP/1.1: each operation has a connection of its own.
    pub plain: bool,
    number: usize,
    of: usize,
    /// Carriers beyond what the connection takes at once.
    parked: Vec<u32>,
    /// The others, idle or busy.
    circulating: u32,
    limit: u32,
}

impl Pool {
    /// Number `number` of `of`. One operation makes the connection; then as many may be on it as the server allows.
    pub(super) fn new(number: usize, of: usize, most_streams: u32) -> Self {
        let parked = (1..most_streams as usize).rev().map(|nth| (number + nth * of) as u32).collect();
        Self {
            link: None,
            connecting: None,
            waiting: Vec::new(),
            plain: false,
            number,
            of,
            parked,
            circulating: 1,
            limit: 1,
        }
    }

    /// The connection is there, as a link or for one operation alone: those that waited go on.
    pub(super) fn made(&mut self, link: Option<LinkKey>, ready: &mut Vec<u32>) {
        self.link = link;
        self.plain = link.is_none();
        self.connecting = None;
        ready.append(&mut self.waiting);
    }

    /// `token` does not wait any more; if it was to make the connection, another one has to.
    pub(super) fn left(&mut self, token: u32, ready: &mut Vec<u32>) {
        if self.connecting == Some(token) {
            self.connecting = None;
            ready.append(&mut self.waiting);
        }
        self.waiting.retain(|other| *other != token);
    }

    /// So many operations may be on the connection from now on. Carriers that come in are taken after all others:
    /// connections first, then further operations on each.
    pub(super) fn allow(&mut self, limit: u32, idle: &mut Vec<u32>) {
        if limit == self.limit {
            return;
        }
        self.limit = limit;
        let mut more = Vec::new();
        while self.circulating < limit
            && let Some(token) = self.parked.pop()
        {
            self.circulating += 1;
            more.push(token);
        }
        more.reverse();
        idle.splice(0..0, more);
        while self.circulating > limit {
            let ours = |token: &u32| *token as usize % self.of == self.number;
            let Some(at) = idle.iter().position(ours) else { return };
            self.park(idle.remove(at));
        }
    }

    fn park(&mut self, token: u32) {
        self.circulating -= 1;
        self.parked.push(token);
    }
}

impl Multiplex {
    /// The shared connection of a user; none where users have their own.
    pub(super) fn pool_of(&self, token: u32) -> Option<usize> {
        (!self.pools.is_empty()).then(|| token as usize % self.pools.len())
    }

    /// Whether a carrier whose operation has ended is one too many now; then it is out.
    pub(crate) fn retires(&mut self, token: u32) -> bool {
        let Some(at) = self.pool_of(token) else { return false };
        let pool = &mut self.pools[at];
        let retires = pool.circulating > pool.limit;
        if retires {
            pool.park(token);
        }
        retires
    }
}

impl Driver<'_> {
    /// As many operations may be on a shared connection as the server says.
    pub(super) fn allow_streams(&mut self, key: LinkKey) {
        let (Some(multiplex), Some(offered)) = (&mut self.multiplex, &mut self.offered) else { return };
        let most = multiplex.most_streams;
        let Some(link) = multiplex.links.get(key) else { return };
        if let Owner::Pool(at) = link.owner {
            let limit = link.client.most_streams().clamp(1, most);
            multiplex.pools[at].allow(limit, &mut offered.idle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_carriers_circulate_as_the_server_allows() {
        let mut idle = vec![1, 0];
        let mut pools = [Pool::new(0, 2, 4), Pool::new(1, 2, 4)];
        pools[0].allow(3, &mut idle);
        pools[1].allow(2, &mut idle);
        // Taken from the end: first one operation on each connection, then further ones.
        assert_eq!(idle, [3, 4, 2, 1, 0]);
        pools[0].allow(1, &mut idle);
        assert_eq!(idle, [3, 1, 0]);
        pools[0].allow(9, &mut idle);
        assert_eq!((pools[0].circulating, idle.len()), (4, 6), "there are no more");
    }

    #[test]
    fn somebody_else_makes_a_connection_that_was_given_up() {
        let (mut pool, mut ready) = (Pool::new(0, 1, 4), Vec::new());
        (pool.connecting, pool.waiting) = (Some(0), vec![1, 2, 3]);
        pool.left(2, &mut ready);
        assert_eq!((&pool.waiting[..], ready.is_empty()), (&[1, 3][..], true));
        pool.left(0, &mut ready);
        assert_eq!((pool.connecting, ready), (None, vec![1, 3]));
    }
}
