//! Pictures that are each their own: a place for an event, a portrait for a person, composed from a seed.
//!
//! Lengths are in heights of the picture: x runs from 0 to 4/3, y from 0 at the top to 1.

use alloc::vec::Vec;

use loadstone_stats::Rng;

use super::detailed::Sample;

mod place;
mod portrait;

pub(super) use place::place;
pub(super) use portrait::portrait;

/// Width of a picture.
const WIDTH: f32 = 4.0 / 3.0;
/// Points of a ridge.
const POINTS: usize = 33;

/// A colour: Y, Cb, Cr.
type Colour = [f32; 3];

/// A colour from light (0 black, 1 white), hue in degrees (0 blue, 100 red, 140 orange, 230 green, 310 cyan)
/// and strength (0 grey, 1 vivid).
fn colour(light: f32, hue: f32, strength: f32) -> Colour {
    const VIVID: f32 = 60.0;
    let angle = hue.to_radians();
    let part = |share: f32| 128.0 + VIVID * strength * share;
    [255.0 * light, part(libm::cosf(angle)), part(libm::sinf(angle))]
}

/// A colour that changes from the top of the picture to its bottom.
#[derive(Clone, Copy)]
struct Paint {
    top: Colour,
    bottom: Colour,
}

impl Paint {
    fn plain(colour: Colour) -> Self {
        Self { top: colour, bottom: colour }
    }

    fn at(&self, y: f32) -> Colour {
        core::array::from_fn(|part| self.top[part] + (self.bottom[part] - self.top[part]) * y)
    }
}

enum Shape {
    Disc {
        x: f32,
        y: f32,
        wide: f32,
        high: f32,
    },
    Slab {
        left: f32,
        top: f32,
        right: f32,
        bottom: f32,
    },
    /// A triangle on its base.
    Tent {
        x: f32,
        top: f32,
        half: f32,
        base: f32,
    },
    /// All below a line of points with equal distances.
    Ridge([f32; POINTS]),
}

impl Shape {
    fn covers(&self, px: f32, py: f32) -> bool {
        match *self {
            Self::Disc { x, y, wide, high } => {
                let (dx, dy) = ((px - x) / wide, (py - y) / high);
                dx * dx + dy * dy < 1.0
            }
            Self::Slab { left, top, right, bottom } => left <= px && px < right && top <= py && py < bottom,
            Self::Tent { x, top, half, base } => {
                let (dx, depth) = (px - x, py - top);
                let reach = half * depth / (base - top);
                py < base && -reach < dx && dx < reach
            }
            Self::Ridge(ref heights) => {
                let place = (px / WIDTH).clamp(0.0, 1.0) * (POINTS - 1) as f32;
                let before = (place as usize).min(POINTS - 2);
                let share = place - before as f32;
                py > heights[before] + (heights[before + 1] - heights[before]) * share
            }
        }
    }
}

/// Shapes before a background.
pub(super) struct Scene {
    background: Paint,
    /// The nearest last.
    shapes: Vec<(Shape, Paint)>,
}

impl Scene {
    fn new(background: Paint) -> Self {
        Self { background, shapes: Vec::new() }
    }

    /// Puts a shape before all others.
    fn add(&mut self, shape: Shape, paint: Paint) {
        self.shapes.push((shape, paint));
    }

    /// What is seen at a point.
    pub(super) fn at(&self, x: f32, y: f32) -> Sample {
        let nearest = self.shapes.iter().enumerate().rev().find(|(_, (shape, _))| shape.covers(x, y));
        match nearest {
            Some((number, (_, paint))) => (number + 1, paint.at(y)),
            None => (0, self.background.at(y)),
        }
    }
}

/// A number of `low..high`.
fn between(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.unit_open() as f32
}
