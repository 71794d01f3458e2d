//! What each size class looks like and how large it is: masters that all of a class share, and pictures of
//! one's own.

use alloc::vec::Vec;

use libm::{floor, round, sqrt};

use loadstone_stats::Rng;

use super::name::{Class, Name};
use super::scene::Scene;
use super::{detailed, pdf, scene, smooth};
use crate::loader::Profile;

/// Pixels of a picture and of a thumbnail.
const PICTURE: (f64, f64) = (1690.0, 1268.0);
const THUMBNAIL: (f64, f64) = (100.0, 75.0);
/// Streams of the data set's seed, behind those of the loader.
const PLACES: u64 = 16;
const PORTRAITS: u64 = 17;

/// The master of a class. Its size is Olio's times `scale`, or what a valid file needs when that is more; a
/// smaller picture has fewer pixels, in proportion.
pub(super) fn make(class: Class, profile: Profile, scale: f64) -> Vec<u8> {
    let size = size(class, profile, scale);
    let lights = if class.is_of_person() { &PERSON } else { &EVENT };
    match pixels(class, scale) {
        Some((width, height)) => paint(width, height, lights, size),
        None => pdf::make(size),
    }
}

/// The picture of one event or person, as large as its class's master; its thumbnail shows the same. A
/// document has none.
pub(super) fn make_own(name: Name, profile: Profile, scale: f64, seed: u64) -> Option<Vec<u8>> {
    let Name { class, id } = name;
    let (width, height) = pixels(class, scale)?;
    let (stream, compose): (u64, fn(&mut Rng) -> Scene) =
        if class.is_of_person() { (PORTRAITS, scene::portrait) } else { (PLACES, scene::place) };
    let scene = compose(&mut Rng::stream(seed, stream << 56 | id));
    let pixel = 1.0 / f32::from(height);
    let at = |x: f32, y: f32| scene.at((x + 0.5) * pixel, (y + 0.5) * pixel);
    Some(detailed::encode(width, height, &at, size(class, profile, scale)))
}

fn size(class: Class, profile: Profile, scale: f64) -> usize {
    round(bytes(class, profile) as f64 * scale) as usize
}

/// Width and height; none of a document.
fn pixels(class: Class, scale: f64) -> Option<(u16, u16)> {
    let (width, height) = match class {
        Class::EventDocument => return None,
        Class::EventImage | Class::PersonImage => PICTURE,
        Class::EventThumbnail | Class::PersonThumbnail => THUMBNAIL,
    };
    let shrink = sqrt(scale.min(1.0));
    let pixels = |length: f64| floor(length * shrink).max(8.0) as u16;
    Some((pixels(width), pixels(height)))
}

/// Bytes of Olio's own five files.
fn bytes(class: Class, profile: Profile) -> usize {
    match (profile, class) {
        (Profile::Olio02, Class::EventImage) => 669_128,
        (Profile::Olio02, Class::EventThumbnail) => 5895,
        (Profile::Olio02, Class::EventDocument) => 129_617,
        (Profile::Olio02, Class::PersonImage) => 671_520,
        (Profile::Olio02, Class::PersonThumbnail) => 5758,
        (_, Class::EventImage | Class::PersonImage) => 671_614,
        (_, Class::EventThumbnail) => 5833,
        (_, Class::EventDocument) => 129_585,
        (_, Class::PersonThumbnail) => 5832,
    }
}

/// A soft light: where it stands (shares of width and height), how far it reaches, its colour (RGB).
struct Light {
    x: f64,
    y: f64,
    reach: f64,
    colour: [f64; 3],
}

const fn light(x: f64, y: f64, reach: f64, colour: [f64; 3]) -> Light {
    Light { x, y, reach, colour }
}

/// An evening sky over a stage.
const EVENT: [Light; 5] = [
    light(0.5, 1.1, 0.30, [250.0, 176.0, 92.0]),
    light(0.1, 0.9, 0.25, [206.0, 82.0, 92.0]),
    light(0.9, 0.8, 0.25, [178.0, 74.0, 120.0]),
    light(0.2, 0.0, 0.40, [38.0, 46.0, 98.0]),
    light(0.8, 0.1, 0.40, [62.0, 58.0, 128.0]),
];

/// Leaves in front of water.
const PERSON: [Light; 5] = [
    light(0.5, 0.4, 0.22, [238.0, 232.0, 190.0]),
    light(0.0, 1.0, 0.35, [70.0, 120.0, 62.0]),
    light(1.0, 1.0, 0.35, [112.0, 150.0, 70.0]),
    light(0.0, 0.0, 0.40, [44.0, 120.0, 128.0]),
    light(1.0, 0.0, 0.40, [84.0, 158.0, 170.0]),
];

/// The lights' colours, mixed at each point by how near each light is.
fn paint(width: u16, height: u16, lights: &[Light; 5], size: usize) -> Vec<u8> {
    let (columns, rows) = (f64::from(width) / 8.0, f64::from(height) / 8.0);
    let field = |column: f64, row: f64| {
        let (x, y) = ((column + 0.5) / columns, (row + 0.5) / rows);
        let (mut mixed, mut total) = ([0.0; 3], 0.0);
        for light in lights {
            let (dx, dy) = ((x - light.x) / light.reach, (y - light.y) / light.reach);
            let near = 1.0 / (1.0 + dx * dx + dy * dy);
            let weight = near * near;
            total += weight;
            for (sum, channel) in mixed.iter_mut().zip(light.colour) {
                *sum += weight * channel;
            }
        }
        let [r, g, b] = mixed.map(|sum| sum / total);
        // The JFIF standard's conversion.
        [
            0.299 * r + 0.587 * g + 0.114 * b,
            128.0 - 0.168_736 * r - 0.331_264 * g + 0.5 * b,
            128.0 + 0.5 * r - 0.418_688 * g - 0.081_312 * b,
        ]
    };
    smooth::encode(width, height, &field, size)
}

#[cfg(test)]
mod tests {
    use super::{Class, Name, Profile, bytes, make, make_own};

    #[test]
    fn pictures_of_ones_own_are_as_large_as_masters() {
        let profile = Profile::Loadstone2026;
        for (class, count) in
            [(Class::EventThumbnail, 100), (Class::PersonThumbnail, 100), (Class::EventImage, 2)]
        {
            for id in 1..=count {
                let own = make_own(Name { class, id }, profile, 1.0, 1).unwrap();
                assert_eq!(own.len(), bytes(class, profile), "{class:?} {id}");
            }
        }
        assert_eq!(make_own(Name { class: Class::EventDocument, id: 1 }, profile, 1.0, 1), None);
    }

    #[test]
    fn sizes_are_exact_at_full_scale_and_down_to_what_is_valid() {
        for profile in Profile::ALL {
            for class in Class::ALL {
                for scale in [1.0, 2.5, 0.25] {
                    let wanted = (bytes(class, profile) as f64 * scale).round() as usize;
                    assert_eq!(make(class, profile, scale).len(), wanted, "{class:?} {scale}");
                }
                let least = make(class, profile, 1e-6);
                assert!((100..2000).contains(&least.len()), "{class:?}: {}", least.len());
            }
        }
    }
}
