//! The two descriptions of Olio that a data set can follow.

/// Which description of Olio is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The application as of the Cloudstone paper: 10 accounts for each concurrent user.
    Cloudstone2008,
    /// Release 0.2: 100 accounts for each concurrent user.
    Olio02,
}

impl Profile {
    /// `cloudstone-2008` or `olio-0.2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cloudstone2008 => "cloudstone-2008",
            Self::Olio02 => "olio-0.2",
        }
    }

    /// The profile of that name.
    ///
    /// ```
    /// use loadstone_olio::loader::Profile;
    /// assert_eq!(Profile::parse("olio-0.2").map(Profile::accounts_per_user), Some(100));
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Cloudstone2008, Self::Olio02].into_iter().find(|profile| profile.name() == name)
    }

    /// Accounts for each concurrent user that the data is loaded for.
    pub fn accounts_per_user(self) -> u64 {
        match self {
            Self::Cloudstone2008 => 10,
            Self::Olio02 => 100,
        }
    }
}
