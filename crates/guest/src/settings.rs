//! What the guest is to do, from the words of the kernel's command line.

use std::net::Ipv4Addr;

use loadstone_container::Connector;

/// An address and the bits of its network.
pub type Network = (Ipv4Addr, u8);

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum App {
    /// A folder of files.
    Files,
    /// SURGE's file set.
    Surge,
    /// The social-events site.
    Olio,
    /// The auction site.
    Rubis,
    /// The program beside this one that measures storage and memory; it reads its own words.
    Stress,
}

impl App {
    const ALL: [Self; 5] = [Self::Files, Self::Surge, Self::Olio, Self::Rubis, Self::Stress];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Surge => "surge",
            Self::Olio => "olio",
            Self::Rubis => "rubis",
            Self::Stress => "stress",
        }
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// `surge.files=`: size of SURGE's set.
    pub files: u32,
    /// `surge.seed=`: of SURGE's set.
    pub seed: u64,
}

impl Settings {
    /// Reads words; those without `=` and those with keys of the kernel's own are somebody else's.
    ///
    /// # Errors
    /// A sentence when a value is none, or the application is missing.
    pub fn parse<'w>(words: impl Iterator<Item = &'w str>) -> Result<Self, String> {
        let mut app = None;
        let mut found = Self {
            app: App::Files,
            address: None,
            gateway: None,
            port: 80,
            connector: Connector::Event,
            workers: 0,
            disk: DiskUse::None,
            folder: "/data".into(),
            files: 2000,
            seed: 1,
        };
        for (key, value) in words.filter_map(|word| word.split_once('=')) {
            let bad = || format!("`{key}` cannot be `{value}`");
            match key {
                "app" => app = Some(App::ALL.into_iter().find(|app| app.name() == value).ok_or_else(bad)?),
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
                "surge.files" => found.files = value.parse().map_err(|_| bad())?,
                "surge.seed" => found.seed = value.parse().map_err(|_| bad())?,
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
    use super::*;

    fn parse(line: &str) -> Result<Settings, String> {
        Settings::parse(line.split_ascii_whitespace())
    }

    #[test]
    fn reads_its_own_words_among_the_kernels() {
        let line =
            "console=ttyS0 quiet app=olio ip=10.0.2.15/24 gw=10.0.2.2 port=8080 disk=ext4 connector=hybrid";
        let found = parse(line).unwrap();
        assert_eq!(found.app, App::Olio);
        assert_eq!(found.address, Some((Ipv4Addr::new(10, 0, 2, 15), 24)));
        assert_eq!(found.gateway, Some(Ipv4Addr::new(10, 0, 2, 2)));
        assert_eq!((found.port, found.disk, found.connector), (8080, DiskUse::Ext4, Connector::Hybrid));
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
