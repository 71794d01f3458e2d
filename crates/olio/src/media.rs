//! Pictures and documents: uploads, and for everything that was loaded one master a size class or a picture
//! of its own.
//!
//! A data set of 10,000 accounts would hold some 12 GB of copies of five files. They are never copied: a name
//! within the loaded ids answers with its class's master, unless something was uploaded in its place. A
//! profile of pictures that differ paints each when it is asked for, and the cache keeps it for a while.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_web::files::fingerprint;
use once_cell::race::OnceBox;

use crate::host::{Host, HostError, Rest};
use crate::loader::Profile;
use crate::schema::Meta;
use crate::upload;

mod detailed;
mod jpeg;
mod master;
mod name;
mod pdf;
mod scene;
mod smooth;

pub use name::{Class, Name};

/// A picture or document, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaFile {
    /// Its content, or what that begins with.
    pub bytes: Arc<[u8]>,
    /// What follows, where the file is too large to be in memory as a whole.
    pub rest: Option<Rest>,
    /// Its media type.
    pub content_type: &'static str,
    /// Its entity tag, with quotes.
    pub etag: String,
    /// Whether it was uploaded; else it was painted, and never changes while the program runs.
    pub is_upload: bool,
}

impl MediaFile {
    fn painted(class: Class, bytes: Arc<[u8]>) -> Self {
        let etag = format!("\"{:016x}\"", fingerprint(&bytes));
        Self { bytes, rest: None, content_type: class.content_type(), etag, is_upload: false }
    }
}

/// Seconds for which the cache may keep a picture that was painted for one row.
const KEPT_S: u32 = 3600;

/// The masters that all pictures and documents of a profile share, each under its name without an id, such as
/// `et.jpg` for all `e<id>t.jpg`: for programs that serve the same data set by themselves.
pub fn masters(profile: Profile, scale: f64) -> impl Iterator<Item = (String, Vec<u8>)> {
    Class::ALL.into_iter().map(move |class| (class.file_name(), master::make(class, profile, scale)))
}

/// Everything under `/media/`.
pub struct Media {
    /// Each is made when it is first asked for: painting the two pictures takes longer than all else that a
    /// site does before its first answer. Two workers may both paint one; they paint the same.
    masters: [OnceBox<MediaFile>; Class::ALL.len()],
    profile: Profile,
    seed: u64,
    scale: f64,
    accounts: u64,
    events: u64,
    host: Arc<dyn Host>,
}

impl Media {
    /// The media of a data set, with uploads in `host`.
    ///
    /// # Errors
    /// A sentence when `meta` names a profile that this program does not know.
    pub fn new(meta: &Meta, host: Arc<dyn Host>) -> Result<Self, String> {
        let profile =
            Profile::parse(&meta.profile).ok_or_else(|| format!("{} is no profile of Olio", meta.profile))?;
        Ok(Self {
            masters: Default::default(),
            profile,
            seed: meta.seed,
            scale: f64::from(meta.media_scale_ppm) / 1e6,
            accounts: meta.accounts as u64,
            events: meta.events as u64,
            host,
        })
    }

    fn master(&self, class: Class) -> MediaFile {
        let made = self.masters[class as usize].get_or_init(|| {
            let bytes: Arc<[u8]> = master::make(class, self.profile, self.scale).into();
            Box::new(MediaFile::painted(class, bytes))
        });
        made.clone()
    }

    /// The picture of one row; none where all of a class share a master.
    fn own(&self, name: Name) -> Option<MediaFile> {
        if !self.profile.has_own_pictures() {
            return None;
        }
        let key = format!("media:{}", name.text());
        let bytes = match self.host.cache_get(&key) {
            Some(kept) => kept,
            None => {
                let bytes: Arc<[u8]> = master::make_own(name, self.profile, self.scale, self.seed)?.into();
                self.host.cache_put(&key, bytes.clone(), KEPT_S);
                bytes
            }
        };
        Some(MediaFile::painted(name.class, bytes))
    }

    /// The file of that name, as in `/media/e12t.jpg`; none when the name is none of ours, or when it is no
    /// thumbnail, nothing was uploaded under it and no loaded row has it. A picture that came without a
    /// thumbnail is its own.
    ///
    /// # Errors
    /// As [`Host::media_get`].
    pub fn get(&self, name: &str) -> Result<Option<MediaFile>, HostError> {
        let Some(parsed) = Name::parse(name) else { return Ok(None) };
        let mut upload = self.host.media_get(name)?;
        if let (None, Some(class)) = (&upload, parsed.class.full()) {
            upload = self.host.media_get(&Name { class, ..parsed }.text())?;
        }
        if let Some(file) = upload {
            let content_type = upload::sniff(&file.bytes).unwrap_or("application/octet-stream");
            return Ok(Some(MediaFile {
                bytes: file.bytes,
                rest: file.rest,
                content_type,
                etag: format!("\"u{:x}\"", file.stamp),
                is_upload: true,
            }));
        }
        let loaded = if parsed.class.is_of_person() { self.accounts } else { self.events };
        // Lists show a thumbnail of everything, also of what came without a picture.
        let is_there = parsed.class.is_thumbnail() || parsed.id <= loaded;
        Ok(is_there.then(|| self.own(parsed).unwrap_or_else(|| self.master(parsed.class))))
    }

    /// Stores an upload.
    ///
    /// # Errors
    /// As [`Host::media_put`].
    pub fn put(&self, class: Class, id: u64, bytes: &[u8]) -> Result<(), HostError> {
        self.host.media_put(&Name { class, id }.text(), bytes)
    }

    /// Forgets the uploads of an event or person that is gone.
    ///
    /// # Errors
    /// As [`Host::media_remove`].
    pub fn remove(&self, class: Class, id: u64) -> Result<(), HostError> {
        self.host.media_remove(&Name { class, id }.text())
    }
}
