//! The image's command line: words `key=value`, checked before anything starts.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::Ipv4Addr;
#[cfg(feature = "ipv6")]
use core::net::Ipv6Addr;

use crate::fixed;

/// What the command line says, with its defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Args {
    /// `ip=10.0.2.15/24`; none: by DHCP.
    pub address: Option<(Ipv4Addr, u8)>,
    /// `gw=10.0.2.2`
    pub gateway: Option<Ipv4Addr>,
    /// `ip6=2001:db8::15/64`; none: the machine has no IPv6.
    #[cfg(feature = "ipv6")]
    pub address6: Option<(Ipv6Addr, u8)>,
    /// `gw6=fe80::1`
    #[cfg(feature = "ipv6")]
    pub gateway6: Option<Ipv6Addr>,
    /// `port=80`
    pub port: u16,
    /// `metrics=9100`, with the feature `metrics`: a port for the figures; none: they are not served.
    pub metrics: Option<u16>,
    /// `tls=fw_cfg`, with the feature `tls`: the port speaks TLS; where certificate and key come from.
    pub tls: bool,
    /// `time=SECONDS` since 1970 at boot, for machines without a real-time clock.
    pub time_s: Option<u64>,
    /// `connections=N`: most open connections; 0: as memory allows.
    pub connections: usize,
    /// `scale=PERCENT`: ask for a sibling when the processor is busy for more; none: never.
    pub scale_percent: Option<u8>,
    /// `rx=BYTES`, `tx=BYTES`: buffers of a socket.
    pub buffers: (usize, usize),
    /// Places and interrupt lines of virtio devices: `virtio_mmio.device=512@0xfeb00000:5`.
    pub mmio: Vec<(u64, u32)>,
    /// Words for the application: those whose key has a dot, such as `olio.accounts=400`.
    pub app: Vec<(String, String)>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            address: const { fixed::network("ip") },
            gateway: const { fixed::address("gw") },
            #[cfg(feature = "ipv6")]
            address6: const { fixed::network6("ip6") },
            #[cfg(feature = "ipv6")]
            gateway6: const { fixed::address6("gw6") },
            port: const { fixed::number("port", 80) as u16 },
            metrics: const {
                match fixed::number("metrics", 0) {
                    0 => None,
                    port => Some(port as u16),
                }
            },
            tls: const { fixed::is("tls", "fw_cfg") },
            time_s: None,
            connections: const { fixed::number("connections", 0) as usize },
            scale_percent: const {
                match fixed::number("scale", 0) {
                    0 => None,
                    percent => Some(percent as u8),
                }
            },
            buffers: const { (fixed::number("rx", 8 * 1024) as usize, fixed::number("tx", 16 * 1024) as usize) },
            mmio: Vec::new(),
            #[cfg(not(feature = "fixed"))]
            app: Vec::new(),
            #[cfg(feature = "fixed")]
            app: fixed::EACH.iter().filter_map(for_application).collect(),
        }
    }
}

impl Args {
    /// Reads a command line.
    ///
    /// ```
    /// let args = loadstone_appliance::args::Args::parse("ip=10.0.2.15/24 gw=10.0.2.2 port=8080").unwrap();
    /// assert_eq!((args.port, args.address.unwrap().1), (8080, 24));
    /// ```
    ///
    /// # Errors
    /// A sentence when a word is unknown or its value is malformed.
    pub fn parse(line: &str) -> Result<Self, String> {
        let mut args = Self::default();
        for word in line.split_ascii_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is no key=value"))?;
            #[cfg(feature = "fixed")]
            if let Some((_, value)) = fixed::EACH.iter().find(|(fixed, _)| *fixed == key) {
                return Err(format!(
                    "`{word}`: the image was built with {key}={value}, which cannot be changed"
                ));
            }
            args.set(key, value)
                .ok_or_else(|| format!("`{word}` is not understood; see the reference of images"))?;
        }
        #[cfg(feature = "ipv6")]
        if args.gateway6.is_some() && args.address6.is_none() {
            return Err("gw6= without ip6=: say ip6=ADDRESS/BITS".into());
        }
        #[cfg(feature = "ipv6")]
        let without = args.address.is_none() && args.address6.is_none();
        #[cfg(not(feature = "ipv6"))]
        let without = args.address.is_none();
        if without && !cfg!(feature = "dhcp") {
            return Err("no address: say ip=A.B.C.D/BITS, DHCP is not linked".into());
        }
        Ok(args)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "ip" if const { fixed::is_free("ip") } => {
                let (address, bits) = value.split_once('/')?;
                let bits = bits.parse().ok().filter(|bits| (1..=32).contains(bits))?;
                let address: Ipv4Addr = address.parse().ok()?;
                let usable = !address.is_unspecified() && !address.is_multicast() && !address.is_broadcast();
                self.address = Some((address, bits)).filter(|_| usable);
                self.address?;
            }
            "gw" if const { fixed::is_free("gw") } => self.gateway = Some(value.parse().ok()?),
            #[cfg(feature = "ipv6")]
            "ip6" if const { fixed::is_free("ip6") } => {
                let (address, bits) = value.split_once('/')?;
                let bits = bits.parse().ok().filter(|bits| (1..=128).contains(bits))?;
                // That of the link the machine has by itself.
                let address = neighbour(address).filter(|address| !address.is_unicast_link_local())?;
                self.address6 = Some((address, bits));
            }
            #[cfg(feature = "ipv6")]
            "gw6" if const { fixed::is_free("gw6") } => self.gateway6 = Some(neighbour(value)?),
            "port" if const { fixed::is_free("port") } => self.port = port(value)?,
            "metrics" if const { cfg!(feature = "metrics") && fixed::is_free("metrics") } => {
                self.metrics = Some(port(value)?)
            }
            "tls" if const { cfg!(feature = "tls") && fixed::is_free("tls") } && value == "fw_cfg" => {
                self.tls = true
            }
            "time" => self.time_s = Some(value.parse().ok()?),
            "connections" if const { fixed::is_free("connections") } => {
                self.connections = value.parse().ok()?
            }
            "scale" if const { fixed::is_free("scale") } => {
                let percent = value.parse().ok().filter(|percent| (1..=100).contains(percent))?;
                self.scale_percent = Some(percent);
            }
            "rx" if const { fixed::is_free("rx") } => self.buffers.0 = buffer(value)?,
            "tx" if const { fixed::is_free("tx") } => self.buffers.1 = buffer(value)?,
            "virtio_mmio.device" => self.mmio.push(device(value)?),
            _ if key.contains('.') => self.app.push((key.to_string(), value.to_string())),
            _ => return None,
        }
        Some(())
    }

    /// Value of a word for the application.
    pub fn app(&self, key: &str) -> Option<&str> {
        self.app.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }
}

/// A word that was fixed, if it is for the application.
#[cfg(feature = "fixed")]
fn for_application((key, value): &(&str, &str)) -> Option<(String, String)> {
    key.contains('.').then(|| ((*key).into(), (*value).into()))
}

/// An address that a machine can have: neither none, loopback nor one of IPv4 (RFC 4291 §2.5), and no group.
#[cfg(feature = "ipv6")]
fn neighbour(value: &str) -> Option<Ipv6Addr> {
    value.parse().ok().filter(|address: &Ipv6Addr| address.to_bits() >> 64 != 0 && !address.is_multicast())
}

fn port(value: &str) -> Option<u16> {
    value.parse().ok().filter(|port| *port > 0)
}

/// At least a segment, at most what a window without much patience fills.
fn buffer(value: &str) -> Option<usize> {
    value.parse().ok().filter(|bytes| (2048..=1 << 20).contains(bytes))
}

/// `SIZE@ADDRESS:LINE[:ID]`, as Linux reads it.
fn device(value: &str) -> Option<(u64, u32)> {
    let (_, place) = value.split_once('@')?;
    let mut parts = place.split(':');
    let address = u64::from_str_radix(parts.next()?.strip_prefix("0x")?, 16).ok()?;
    Some((address, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_qemu_and_people_write_is_read() {
        let args = Args::parse(
            "ip=10.0.2.15/24 gw=10.0.2.2 time=5 scale=80 connections=7 rx=4096 tx=65536 olio.accounts=400 \
             virtio_mmio.device=512@0xfeb00e00:12 virtio_mmio.device=512@0xfeb00c00:11",
        )
        .unwrap();
        let expected = Args {
            address: Some((Ipv4Addr::new(10, 0, 2, 15), 24)),
            gateway: Some(Ipv4Addr::new(10, 0, 2, 2)),
            time_s: Some(5),
            connections: 7,
            scale_percent: Some(80),
            buffers: (4096, 65536),
            mmio: alloc::vec![(0xfeb0_0e00, 12), (0xfeb0_0c00, 11)],
            app: alloc::vec![("olio.accounts".into(), "400".into())],
            ..Args::default()
        };
        assert_eq!(args, expected);
        assert_eq!((args.app("olio.accounts"), args.app("olio.x")), (Some("400"), None));
    }

    #[test]
    fn figures_are_for_images_that_have_them() {
        let args = Args::parse("ip=10.0.2.15/24 metrics=9100");
        if cfg!(feature = "metrics") {
            assert_eq!(args.unwrap().metrics, Some(9100));
        } else {
            assert!(args.unwrap_err().contains("metrics=9100"));
        }
    }

    #[cfg(feature = "ipv6")]
    #[test]
    fn a_machine_has_a_second_address() {
        let args = Args::parse("ip=10.0.2.15/24 ip6=2001:db8::15/64 gw6=fe80::1").unwrap();
        assert_eq!(args.address6, Some(("2001:db8::15".parse().unwrap(), 64)));
        assert_eq!(args.gateway6, Some("fe80::1".parse().unwrap()));
        assert!(Args::parse("ip6=fd00::1/128").is_ok(), "it may be the only one");
        for words in [
            "ip6=fd00::1",
            "ip6=fd00::1/0",
            "ip6=fd00::1/129",
            "ip6=::1/64",
            "ip6=::ffff:10.0.0.1/64",
            "ip6=ff02::1/64",
            "ip6=fe80::1/64",
            "ip6=10.0.0.1/24",
            "gw6=::",
            "gw6=fe80::1%eth0",
            "gw6=fe80::1",
        ] {
            let refusal = Args::parse(&format!("ip=10.0.2.15/24 {words}")).unwrap_err();
            assert!(refusal.contains(&words[..4]), "{refusal}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for word in [
            "quiet",
            "ipp=1",
            "ip=10.0.2.15",
            "ip=10.0.2.15/0",
            "ip=10.0.2/24",
            "ip=0.0.0.0/8",
            "ip=224.0.0.1/8",
            "gw=router",
            "port=0",
            "port=65536",
            "rx=10",
            "tx=9999999",
            "time=-1",
            "scale=0",
            "scale=101",
            "virtio_mmio.device=512",
            "virtio_mmio.device=512@feb00000:5",
            "virtio_mmio.device=512@0xfeb00000",
        ] {
            let refusal = Args::parse(&format!("ip=10.0.2.15/24 {word}")).unwrap_err();
            assert!(refusal.contains(word), "{refusal}");
        }
    }
}
