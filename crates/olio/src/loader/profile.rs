//! The descriptions of Olio that a data set can follow.

use super::author::{Author, Letters};
use super::english::English;

/// Which description of Olio is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The application as of the Cloudstone paper: 10 accounts for each concurrent user.
    Cloudstone2008,
    /// Release 0.2: 100 accounts for each concurrent user.
    Olio02,
    /// As [`Self::Cloudstone2008`], for people to look at: texts are English, and every picture is one of its
    /// own.
    Loadstone2026,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cloudstone2008, Self::Olio02, Self::Loadstone2026];

    /// `cloudstone-2008`, `olio-0.2` or `loadstone-2026`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cloudstone2008 => "cloudstone-2008",
            Self::Olio02 => "olio-0.2",
            Self::Loadstone2026 => "loadstone-2026",
        }
    }

    /// The profile of that name.
    ///
    /// ```
    /// use loadstone_olio::loader::Profile;
    /// assert_eq!(Profile::parse("olio-0.2").map(Profile::accounts_per_user), Some(100));
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Accounts for each concurrent user that the data is loaded for.
    pub fn accounts_per_user(self) -> u64 {
        match self {
            Self::Cloudstone2008 | Self::Loadstone2026 => 10,
            Self::Olio02 => 100,
        }
    }

    /// Whether each event and person has a picture of its own; else all share one.
    pub fn has_own_pictures(self) -> bool {
        self == Self::Loadstone2026
    }

    /// Who writes its texts.
    pub(super) fn author(self) -> &'static dyn Author {
        match self {
            Self::Cloudstone2008 | Self::Olio02 => &Letters,
            Self::Loadstone2026 => &English,
        }
    }
}
