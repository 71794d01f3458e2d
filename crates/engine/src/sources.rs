//! Local addresses that users connect from. An address has about 28,000 ports: with several a machine has more.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use loadstone_workload::Program;

/// Users that share a source address on the loopback, if the plan names none. With half of an address's 28,000
/// ports in use the kernel looks at thousands of them in each connect(): 14,000 users stood still for two seconds
/// while more came. A port stays in use for a minute after its connection, so the next runs need room beside this
/// one.
const USERS_PER_SOURCE: u32 = 1_024;
/// Where the system says which ports it hands out.
const PORTS: &str = "/proc/sys/net/ipv4/ip_local_port_range";

/// Those of one machine.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    named: bool,
    v4: Vec<IpAddr>,
    v6: Vec<IpAddr>,
}

impl Sources {
    /// Those of the plan that this machine has. Of several agents each has its own.
    ///
    /// # Errors
    /// A sentence with an address that is not this machine's, or when none is.
    pub(crate) fn new(program: &Program) -> Result<Self, String> {
        let shared = program.slice.1 > 1;
        let is_here = |address: &IpAddr| TcpListener::bind((*address, 0)).is_ok();
        let here: Vec<IpAddr> = program.from.iter().copied().filter(is_here).collect();
        if let Some(missing) = program.from.iter().find(|address| !here.contains(address))
            && (!shared || here.is_empty())
        {
            return Err(format!("target.from: {missing} is not an address of this machine"));
        }
        let (v4, v6) = here.into_iter().partition(IpAddr::is_ipv4);
        Ok(Self { named: !program.from.is_empty(), v4, v6 })
    }

    /// Whether some of them can connect to `address`.
    pub(crate) fn lead_to(&self, address: SocketAddr) -> bool {
        !self.named || !self.of(address).is_empty()
    }

    fn of(&self, address: SocketAddr) -> &[IpAddr] {
        if address.is_ipv4() { &self.v4 } else { &self.v6 }
    }

    /// The local address that a user connects from; none: the system's choice.
    pub(crate) fn choose(&self, address: SocketAddr, user: u32) -> Option<SocketAddr> {
        if self.named {
            let own = self.of(address);
            return own.get(user as usize % own.len().max(1)).map(|source| (*source, 0).into());
        }
        // Only the loopback has addresses to spare.
        let SocketAddr::V4(address) = address else { return None };
        let number = user / USERS_PER_SOURCE;
        let spread = address.ip().is_loopback() && number > 0;
        spread.then(|| (Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + number), 0).into())
    }

    /// Refuses more connections at once to `address` than there are ports.
    ///
    /// # Errors
    /// A sentence with the numbers.
    pub(crate) fn allow(&self, count: u64, what: &str, address: SocketAddr) -> Result<(), String> {
        let spread = !self.named && address.is_ipv4() && address.ip().is_loopback();
        let Some(ports) = ports().filter(|_| !spread) else { return Ok(()) };
        let sources = self.of(address).len().max(1) as u64;
        if count <= ports * sources {
            return Ok(());
        }
        let have = if sources == 1 { "it has".into() } else { format!("its {sources} addresses have") };
        Err(format!(
            "{count} {what} need as many local ports of this machine, and {have} {}: name more of its addresses in \
             `from` of [target], widen net.ipv4.ip_local_port_range, or run the rest from other agents",
            ports * sources
        ))
    }
}

/// How many ports an address has for connections that begin there.
fn ports() -> Option<u64> {
    let text = std::fs::read_to_string(PORTS).ok()?;
    let (low, high) = text.trim().split_once(char::is_whitespace)?;
    let (low, high): (u64, u64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (high + 1).checked_sub(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Sources = Sources { named: false, v4: Vec::new(), v6: Vec::new() };

    fn chosen(sources: &Sources, address: &str, user: u32) -> Option<String> {
        sources.choose(address.parse().unwrap(), user).map(|source| source.to_string())
    }

    #[test]
    fn many_users_of_the_loopback_come_from_several_addresses() {
        let at = |user| chosen(&NONE, "127.0.0.1:80", user);
        assert_eq!(at(1_023), None);
        assert_eq!(at(1_024).as_deref(), Some("127.0.0.2:0"));
        assert_eq!(at(20_000).as_deref(), Some("127.0.0.20:0"));
        assert_eq!(chosen(&NONE, "192.0.2.1:80", 20_000), None);
        assert_eq!(chosen(&NONE, "[::1]:80", 20_000), None);
    }

    #[test]
    fn named_addresses_take_turns() {
        let address = |text: &str| text.parse().unwrap();
        let sources =
            Sources { named: true, v4: vec![address("192.0.2.1"), address("192.0.2.2")], v6: Vec::new() };
        let turns: Vec<_> = (0..3).filter_map(|user| chosen(&sources, "192.0.2.9:80", user)).collect();
        assert_eq!(turns, ["192.0.2.1:0", "192.0.2.2:0", "192.0.2.1:0"]);
        assert!(!sources.lead_to("[2001:db8::1]:80".parse().unwrap()));
    }

    #[test]
    fn more_users_than_ports_are_refused_with_the_numbers() {
        let (far, here) = ("192.0.2.9:80".parse().unwrap(), "127.0.0.1:80".parse().unwrap());
        let most = ports().unwrap();
        assert!(NONE.allow(most, "users", far).is_ok() && NONE.allow(most + 1, "users", here).is_ok());
        let said = NONE.allow(most + 1, "users", far).unwrap_err();
        assert!(said.contains(&format!("it has {most}: name more")), "{said}");
        let two = Sources { named: true, v4: vec!["127.0.0.1".parse().unwrap(); 2], v6: Vec::new() };
        assert!(two.allow(2 * most, "users", far).is_ok() && two.allow(2 * most + 1, "users", here).is_err());
    }
}
