//! The six icons, as shapes on the square from -1 to 1 in both directions, y down.

use alloc::vec::Vec;
use core::f64::consts::PI;

use libm::{atan2, cos, fabs, sqrt};

use super::png;

const OLIVE: [u8; 3] = [92, 122, 41];
const GOLD: [u8; 3] = [224, 164, 32];
const ORANGE: [u8; 3] = [226, 114, 28];
const GREY: [u8; 3] = [128, 134, 120];

/// The icon of that name, `size` bytes long.
pub(super) fn draw(name: &str, size: usize) -> Vec<u8> {
    match name {
        "brand" => picture(48, OLIVE, olive, size),
        "star" => picture(16, GOLD, star, size),
        "star-empty" => picture(16, GREY, |x, y| star(x, y) && !star(x * 1.35, y * 1.35), size),
        "rss" => picture(16, ORANGE, waves, size),
        "calendar" => picture(24, OLIVE, calendar, size),
        _ => picture(8, GREY, |x, y| x * x + y * y < 0.6, size),
    }
}

/// Opacity is the share of a pixel's 4 x 4 points that lie in the shape.
fn picture(side: u32, colour: [u8; 3], inside: impl Fn(f64, f64) -> bool, size: usize) -> Vec<u8> {
    const POINTS: u32 = 4;
    let at = |pixel: u32, point: u32| {
        (f64::from(pixel) + (f64::from(point) + 0.5) / f64::from(POINTS)) * 2.0 / f64::from(side) - 1.0
    };
    let opacity = |column: u32, row: u32| {
        let points = (0..POINTS).flat_map(|y| (0..POINTS).map(move |x| (x, y)));
        let hits = points.filter(|&(x, y)| inside(at(column, x), at(row, y))).count() as u8;
        hits.min(png::LEVELS - 1)
    };
    png::encode(side, colour, opacity, size)
}

/// An olive with its stone hole, and a leaf.
fn olive(x: f64, y: f64) -> bool {
    let fruit = (x + 0.1) * (x + 0.1) / 0.50 + (y - 0.25) * (y - 0.25) / 0.40 < 1.0;
    let hole = (x + 0.35) * (x + 0.35) + (y - 0.15) * (y - 0.15) < 0.035;
    let along = (x + y) * 0.5 - 0.05;
    let across = x - y - 1.1;
    let leaf = across * across / 0.35 + along * along / 0.05 < 1.0;
    (fruit && !hole) || leaf
}

/// A star of five points, one up.
fn star(x: f64, y: f64) -> bool {
    let (radius, angle) = (sqrt(x * x + y * y), atan2(x, -y));
    // Every fifth of the turn is alike, and so are its two halves: one edge, from tip to notch.
    let fifth = 2.0 * PI / 5.0;
    let turns = libm::round(angle / fifth);
    let (px, py) = (radius * cos(angle - turns * fifth), radius * fabs(libm::sin(angle - turns * fifth)));
    let (notch_x, notch_y) = (0.42 * cos(fifth / 2.0), 0.42 * libm::sin(fifth / 2.0));
    (1.0 - notch_x) * py < notch_y * (1.0 - px)
}

/// A dot and two arcs around the lower left corner.
fn waves(x: f64, y: f64) -> bool {
    let (dx, dy) = (x + 0.7, 0.7 - y);
    let radius = sqrt(dx * dx + dy * dy);
    let arc = dx > -0.2 && dy > -0.2 && ((0.7..1.0).contains(&radius) || (1.25..1.55).contains(&radius));
    radius < 0.28 || arc
}

/// A frame with a heavy head and six days.
fn calendar(x: f64, y: f64) -> bool {
    let frame = fabs(x) < 0.9 && fabs(y) < 0.9 && (fabs(x) > 0.75 || fabs(y) > 0.75 || y < -0.45);
    let day = [-0.45, 0.0, 0.45].iter().any(|centre| fabs(x - centre) < 0.14)
        && [-0.1, 0.38].iter().any(|centre| fabs(y - centre) < 0.14);
    frame || day
}
