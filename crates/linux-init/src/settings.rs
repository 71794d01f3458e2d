//! What the guest is to do, from the words of the kernel's command line.

use std::net::Ipv4Addr;

use loadstone_container::Connector;

use crate::sites::{ALL, Site, Words};

/// An address and the bits of its network.
pub type Network = (Ipv4Addr, u8);

/// What to run.
#[derive(Debug, Clone, Copy)]
pub enum App {
    /// A site, or a folder of files.
    Site(&'static dyn Site),
    /// The program beside this one that measures storage and memory; it reads its own words.
    Stress,
}

impl App {
    fn named(name: &str) -> Option<Self> {
        if name == "stress" {
            return Some(Self::Stress);
        }
        ALL.into_iter().find(|site| site.name() == name).map(Self::Site)
    }
}

/// What becomes of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskUse {
    /// Nothing.
    None,
    /// It is left to the application.
    Raw,
    /// It is mounted at the application's folder.
    Ext4,
}

/// Everything that can be said.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `app=`.
    pub app: App,
    /// `ip=10.0.2.15/24`; none: the network stays as it is.
    pub address: Option<Network>,
    /// `gw=`.
    pub gateway: Option<Ipv4Addr>,
    /// `port=`.
    pub port: u16,
    /// `connector=`.
    pub connector: Connector,
    /// `workers=`; 0: as many as the connector thinks fit.
    pub workers: usize,
    /// `disk=`: `raw`, `ext4`.
    pub disk: DiskUse,
    /// `folder=`: where the data are.
    pub folder: String,
    /// All words with a point: some are the site's.
    pub words: Words,
}

impl Settings {
    /// Reads words; those without `=` and those with keys of the kernel's own are somebody else's.
    ///
    /// # Errors
    /// A sentence when a value is none, or the application is missing.
    pub fn parse<'w>(words: impl Iterator<Item = &'w str>) -> Result<Self, String> {
        let mut app = None;
        let mut found = Self {
            app: App::Stress,
            address: None,
            gateway: None,
            port: 80,
            connector: Connector::Event,
            workers: 0,
            disk: DiskUse::None,
            folder: "/data".into(),
            words: Words::default(),
        };
        for (key, value) in words.filter_map(|word| word.split_once('=')) {
            let bad = || format!("`{key}` cannot be `{value}`");
            match key {
                "app" => app = Some(App::named(value).ok_or_else(bad)?),
                "ip" => found.address = Some(network(value).ok_or_else(bad)?),
                "gw" => found.gateway = Some(value.parse().map_err(|_| bad())?),
                "port" => found.port = value.parse().map_err(|_| bad())?,
                "connector" => {
                    let mut all = Connector::ALL.into_iter();
                    found.connector = all.find(|one| one.name() == value).ok_or_else(bad)?;
                }
                "workers" => found.workers = value.parse().map_err(|_| bad())?,
                "disk" => {
                    found.disk = match value {
                        "raw" => DiskUse::Raw,
                        "ext4" => DiskUse::Ext4,
                        _ => return Err(bad()),
                    }
                }
                "folder" => found.folder = value.into(),
                _ if key.contains('.') => drop(found.words.0.insert(key.into(), value.into())),
                _ => {}
            }
        }
        found.app = app.ok_or("no `app=` says what to run")?;
        Ok(found)
    }
}

fn network(value: &str) -> Option<Network> {
    let (address, bits) = value.split_once('/')?;
    let bits = bits.parse().ok().filter(|bits| (1..=31).contains(bits))?;
    Some((address.parse().ok()?, bits))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parse(line: &str) -> Result<Settings, String> {
        Settings::parse(line.split_ascii_whitespace())
    }

    #[test]
    fn reads_its_own_words_among_the_kernels() {
        let line =
            "console=ttyS0 quiet app=olio ip=10.0.2.15/24 gw=10.0.2.2 port=8080 disk=ext4 connector=hybrid";
        let found = parse(line).unwrap();
        assert!(matches!(found.app, App::Site(site) if site.name() == "olio"));
        assert_eq!(found.address, Some((Ipv4Addr::new(10, 0, 2, 15), 24)));
        assert_eq!(found.gateway, Some(Ipv4Addr::new(10, 0, 2, 2)));
        assert_eq!((found.port, found.disk, found.connector), (8080, DiskUse::Ext4, Connector::Hybrid));
    }

    #[test]
    fn words_of_a_site_are_the_sites() {
        let found = parse("app=surge surge.files=50 virtio.debug=1 surge.seed=-1").unwrap();
        assert_eq!(found.words.parsed("surge.files", 0), Ok(50));
        assert_eq!(found.words.parsed("surge.other", 7), Ok(7));
        found.words.parsed("surge.seed", 0_u64).unwrap_err();
        let App::Site(surge) = found.app else { panic!("surge is a site") };
        let Err(sentence) = surge.open(Path::new("nowhere"), &found.words) else { panic!("-1 is no seed") };
        assert!(sentence.contains("surge.seed"), "{sentence}");
    }

    #[test]
    fn refuses_values_that_are_none() {
        for line in [
            "",
            "app=tomcat",
            "app=files ip=10.0.2.15",
            "app=files ip=10.0.2.15/32",
            "app=files gw=here",
            "app=files port=70000",
            "app=files disk=ntfs",
            "app=files connector=quick",
        ] {
            parse(line).unwrap_err();
        }
    }
}
