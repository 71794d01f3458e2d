//! Pictures and documents by name: masters, uploads and what is not there; over both hosts.

use std::path::PathBuf;
use std::sync::Arc;

use loadstone_olio::dates::Day;
use loadstone_olio::host::{FileHost, Host, MemoryHost};
use loadstone_olio::media::{Class, Media, MediaFile};
use loadstone_olio::schema::Meta;

const CACHE: usize = 1 << 20;

fn meta(media_scale_ppm: u32) -> Meta {
    meta_of("olio-0.2", media_scale_ppm)
}

fn meta_of(profile: &str, media_scale_ppm: u32) -> Meta {
    Meta {
        profile: profile.into(),
        accounts: 100,
        events: 75,
        tags: 25,
        base_day: Day(14_174),
        seed: 1,
        media_scale_ppm,
    }
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("loadstone-media-{name}-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Runs `test` over every kind of host.
fn over_hosts(name: &str, test: impl Fn(Arc<dyn Host>)) {
    test(Arc::new(MemoryHost::new(1 << 20, CACHE).unwrap()));
    let folder = Folder::new(name);
    test(Arc::new(FileHost::new(&folder.0, CACHE).unwrap()));
}

/// A file that must be there.
fn got(media: &Media, name: &str) -> MediaFile {
    media.get(name).unwrap().expect(name)
}

#[test]
fn loaded_ids_answer_with_their_master() {
    over_hosts("masters", |host| {
        let media = Media::new(&meta(1_000_000), host).unwrap();
        let sizes = [
            ("e1.jpg", 669_128, "image/jpeg"),
            ("e75t.jpg", 5895, "image/jpeg"),
            ("e2l.pdf", 129_617, "application/pdf"),
            ("p100.jpg", 671_520, "image/jpeg"),
            ("p100t.jpg", 5758, "image/jpeg"),
        ];
        for (name, size, content_type) in sizes {
            let file = got(&media, name);
            assert_eq!((file.bytes.len(), file.content_type), (size, content_type), "{name}");
            assert!(file.etag.starts_with('"') && file.etag.ends_with('"'));
        }
        assert_eq!(media.get("e1t.jpg"), media.get("e2t.jpg"));
        assert_ne!(media.get("e1t.jpg"), media.get("p1t.jpg"));
        assert_eq!(media.get("e76t.jpg"), media.get("e1t.jpg"), "lists show a thumbnail of everything");
        for absent in ["e76.jpg", "p101.jpg", "e0.jpg", "../olio.db", "olio.db", ""] {
            assert_eq!(media.get(absent), Ok(None), "{absent}");
        }
    });
}

#[test]
fn masters_are_the_bytes_that_were_measured() {
    // What figures were published with: a change of these files would be another site.
    let media =
        Media::new(&meta_of("cloudstone-2008", 1_000_000), Arc::new(MemoryHost::new(0, CACHE).unwrap()));
    let media = media.unwrap();
    let tags = [
        ("e1.jpg", "\"71b12855069e7f82\""),
        ("e1t.jpg", "\"33f64428aa743d66\""),
        ("e1l.pdf", "\"6908b3b3986ed6a5\""),
        ("p1.jpg", "\"34c73104f1eba3a7\""),
        ("p1t.jpg", "\"379ce7b0545e52bb\""),
    ];
    for (name, tag) in tags {
        assert_eq!(got(&media, name).etag, tag, "{name}");
    }
}

#[test]
fn pictures_of_the_newest_profile_are_each_their_own() {
    let open = |seed| {
        let meta = Meta { seed, ..meta_of("loadstone-2026", 1_000_000) };
        Media::new(&meta, Arc::new(MemoryHost::new(1 << 20, CACHE).unwrap())).unwrap()
    };
    let (media, same, other) = (open(1), open(1), open(2));
    let names: Vec<_> = (1..=20).flat_map(|id| [format!("e{id}t.jpg"), format!("p{id}t.jpg")]).collect();
    let mut tags: Vec<_> = names.iter().map(|name| got(&media, name).etag).collect();
    for (name, tag) in names.iter().zip(&tags) {
        assert_eq!(&got(&same, name).etag, tag, "{name} is the same in every process");
        assert_eq!(&got(&media, name).etag, tag, "{name} is the same from the cache");
        assert_ne!(&got(&other, name).etag, tag, "{name} of another seed");
    }
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), names.len());
    for (name, size) in [("e7.jpg", 671_614), ("e7t.jpg", 5833), ("p7.jpg", 671_614), ("p7t.jpg", 5832)] {
        let file = got(&media, name);
        assert_eq!((file.bytes.len(), file.content_type), (size, "image/jpeg"), "{name}");
        assert_eq!(markers(&file.bytes), "SOI APP DQT SOF DHT DHT SOS EOI", "{name}");
    }
    assert_eq!(media.get("e1l.pdf"), media.get("e2l.pdf"), "documents are the same");
    assert_eq!(media.get("e76.jpg"), Ok(None));
    media.put(Class::PersonThumbnail, 7, b"GIF89a").unwrap();
    assert_eq!(got(&media, "p7t.jpg").content_type, "image/gif");
}

#[test]
fn an_upload_takes_the_place_of_a_master_until_it_is_removed() {
    over_hosts("uploads", |host| {
        let media = Media::new(&meta(10_000), host).unwrap();
        let png = b"\x89PNG\r\n\x1a\nfirst".as_slice();
        let master = got(&media, "p7t.jpg");
        media.put(Class::PersonThumbnail, 7, png).unwrap();
        let first = got(&media, "p7t.jpg");
        assert_eq!((&*first.bytes, first.content_type), (png, "image/png"));
        media.put(Class::PersonThumbnail, 7, b"GIF89a second, longer").unwrap();
        let second = got(&media, "p7t.jpg");
        assert_eq!((&second.bytes[..6], second.content_type), (b"GIF89a".as_slice(), "image/gif"));
        assert_ne!(first.etag, second.etag);
        media.put(Class::EventDocument, 9000, b"%PDF-1.4").unwrap();
        assert_eq!(got(&media, "e9000l.pdf").content_type, "application/pdf");
        assert_eq!(media.get("e9000.jpg"), Ok(None));
        media.remove(Class::PersonThumbnail, 7).unwrap();
        media.remove(Class::PersonThumbnail, 7).unwrap();
        assert_eq!(got(&media, "p7t.jpg"), master);
    });
}

#[test]
fn uploads_survive_a_restart_and_broken_ones_do_not() {
    let folder = Folder::new("restart");
    let open = || Media::new(&meta(10_000), Arc::new(FileHost::new(&folder.0, CACHE).unwrap())).unwrap();
    open().put(Class::EventImage, 1, b"GIF89a").unwrap();
    std::fs::write(folder.0.join("e2.jpg.0.partial"), b"GIF8").unwrap();
    std::fs::write(folder.0.join("e3.jpg"), b"").unwrap();
    let kept = got(&open(), "e1.jpg");
    assert_eq!(&*kept.bytes, b"GIF89a");
    assert_eq!(got(&open(), "e1.jpg").etag, kept.etag);
    let names: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["e1.jpg"]);
}

#[test]
fn memory_refuses_more_than_its_limit() {
    let host = MemoryHost::new(10, CACHE).unwrap();
    host.media_put("a", &[0; 10]).unwrap();
    assert!(host.media_put("b", &[0]).unwrap_err().sentence.contains("no room for b"));
    host.media_put("a", &[0; 4]).unwrap();
    host.media_put("b", &[0; 6]).unwrap();
}

#[test]
fn tags_of_one_process_mean_nothing_to_the_next() {
    let tag = |bytes: &[u8]| {
        let media = Media::new(&meta(10_000), Arc::new(MemoryHost::new(1 << 20, CACHE).unwrap())).unwrap();
        media.put(Class::EventImage, 76, bytes).unwrap();
        got(&media, "e76.jpg").etag
    };
    assert_ne!(tag(b"GIF89a before"), tag(b"GIF89a after"));
}

#[test]
fn the_system_gives_time_and_entropy() {
    over_hosts("system", |host| {
        assert!(host.now_s() > 1_700_000_000);
        let (mut a, mut b) = ([0; 32], [0; 32]);
        host.entropy(&mut a);
        host.entropy(&mut b);
        assert!(a != b && a != [0; 32]);
        host.cache_put("key", Arc::from(*b"value"), 60);
        assert_eq!(host.cache_get("key").as_deref(), Some(b"value".as_slice()));
        host.cache_put("key", Arc::from(*b"value"), 0);
        assert_eq!(host.cache_get("key"), None);
    });
}

#[test]
fn masters_are_whole_files() {
    for ppm in [1_000_000, 10_000, 1] {
        let media = Media::new(&meta(ppm), Arc::new(MemoryHost::new(0, CACHE).unwrap())).unwrap();
        for name in ["e1.jpg", "e1t.jpg", "p1.jpg", "p1t.jpg"] {
            let bytes = got(&media, name).bytes;
            assert_eq!(markers(&bytes), "SOI APP DQT SOF DHT DHT SOS EOI", "{name} at {ppm}");
        }
    }
}

/// The markers of a JPEG but for comments, read as a decoder does.
fn markers(bytes: &[u8]) -> String {
    let mut names = vec!["SOI"];
    assert_eq!(bytes[..2], [0xff, 0xd8]);
    let mut at = 2;
    loop {
        assert_eq!(bytes[at], 0xff);
        let length = usize::from(u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]));
        match bytes[at + 1] {
            0xff => {
                at += 1;
                continue;
            }
            0xfe => {}
            0xe0 => names.push("APP"),
            0xdb => names.push("DQT"),
            0xc0 => names.push("SOF"),
            0xc4 => names.push("DHT"),
            0xda => names.push("SOS"),
            other => panic!("marker {other:x}"),
        }
        at += 2 + length;
        if names.last() == Some(&"SOS") {
            break;
        }
    }
    // In the scan a 0xff is data only with a zero behind it.
    while bytes[at] != 0xff || bytes[at + 1] == 0 {
        at += 1;
    }
    assert_eq!(bytes[at..], [0xff, 0xd9]);
    names.push("EOI");
    names.join(" ")
}
