//! Where an event takes place: a sky, hills, and one of five foregrounds.

use loadstone_stats::Rng;

use super::{POINTS, Paint, Scene, Shape, WIDTH, between, colour};

/// A place outdoors.
pub(in super::super) fn place(rng: &mut Rng) -> Scene {
    let mut scene = sky(rng);
    let green = between(rng, 205.0, 265.0);
    for (height, light) in [(0.55, 0.52), (0.70, 0.40)] {
        let hills = Paint::plain(colour(light + between(rng, -0.06, 0.06), green, between(rng, 0.25, 0.5)));
        let ridge = ridge(rng, height);
        scene.add(ridge, hills);
    }
    match rng.below(5) {
        0 => tents(&mut scene, rng),
        1 => town(&mut scene, rng),
        2 => trees(&mut scene, rng),
        3 => lake(&mut scene, rng),
        _ => stage(&mut scene, rng),
    }
    scene
}

/// A sky by day, at dusk or at night, with a sun or a moon.
fn sky(rng: &mut Rng) -> Scene {
    let hue = between(rng, -15.0, 15.0);
    let (top, bottom, light) = match rng.below(3) {
        0 => (colour(0.55, hue - 15.0, 0.75), colour(0.95, hue - 25.0, 0.2), colour(0.97, 160.0, 0.4)),
        1 => (colour(0.35, hue + 20.0, 0.6), colour(0.90, hue + 140.0, 0.95), colour(0.93, 150.0, 0.8)),
        _ => (colour(0.10, hue, 0.45), colour(0.45, hue + 10.0, 0.5), colour(0.90, 160.0, 0.1)),
    };
    let mut scene = Scene::new(Paint { top, bottom });
    let size = between(rng, 0.05, 0.11);
    let (x, y) = (between(rng, 0.15, 1.15), between(rng, 0.13, 0.42));
    scene.add(Shape::Disc { x, y, wide: size, high: size }, Paint::plain(light));
    scene
}

/// Two waves over another.
fn ridge(rng: &mut Rng, height: f32) -> Shape {
    let [first, second] = [between(rng, 2.0, 5.0), between(rng, 6.0, 11.0)];
    let [phase, other] = [between(rng, 0.0, 6.0), between(rng, 0.0, 6.0)];
    Shape::Ridge(core::array::from_fn(|point| {
        let x = point as f32 / (POINTS - 1) as f32 * WIDTH;
        height + 0.07 * libm::sinf(first * x + phase) + 0.02 * libm::sinf(second * x + other)
    }))
}

fn vivid(rng: &mut Rng) -> Paint {
    let (light, hue) = (between(rng, 0.45, 0.8), between(rng, 0.0, 360.0));
    Paint::plain(colour(light, hue, 0.9))
}

fn tents(scene: &mut Scene, rng: &mut Rng) {
    let count = rng.range_inclusive(2, 4);
    for nth in 0..count {
        let x = WIDTH * (nth as f32 + between(rng, 0.3, 0.7)) / count as f32;
        let (top, base) = (between(rng, 0.45, 0.62), between(rng, 0.86, 0.95));
        let half = between(rng, 0.16, 0.26);
        let pole = Shape::Slab { left: x - 0.008, top: top - 0.1, right: x + 0.008, bottom: top + 0.02 };
        scene.add(pole, Paint::plain(colour(0.25, 0.0, 0.0)));
        scene.add(Shape::Tent { x, top, half, base }, vivid(rng));
        let door = Shape::Tent { x, top: top + 0.15, half: half / 4.0, base };
        scene.add(door, Paint::plain(colour(0.15, 140.0, 0.2)));
    }
}

fn town(scene: &mut Scene, rng: &mut Rng) {
    let mut left = -0.05;
    while left < WIDTH {
        let (width, top) = (between(rng, 0.12, 0.24), between(rng, 0.38, 0.7));
        let right = left + width;
        let wall =
            Paint::plain(colour(between(rng, 0.35, 0.75), between(rng, 90.0, 170.0), between(rng, 0.1, 0.6)));
        let roof = Paint::plain(colour(between(rng, 0.25, 0.45), 110.0, between(rng, 0.2, 0.8)));
        let x = (left + right) / 2.0;
        scene.add(Shape::Tent { x, top: top - 0.12, half: width / 2.0, base: top }, roof);
        scene.add(Shape::Slab { left, top, right, bottom: 1.0 }, wall);
        let window = Paint::plain(colour(between(rng, 0.2, 0.95), 150.0, 0.5));
        for side in [-1.0, 1.0] {
            let middle = x + side * width / 4.0;
            let (left, right) = (middle - width / 9.0, middle + width / 9.0);
            scene.add(Shape::Slab { left, top: top + 0.06, right, bottom: top + 0.14 }, window);
        }
        left = right;
    }
}

fn trees(scene: &mut Scene, rng: &mut Rng) {
    let count = rng.range_inclusive(3, 6);
    for nth in 0..count {
        let x = WIDTH * (nth as f32 + between(rng, 0.2, 0.8)) / count as f32;
        let (top, base) = (between(rng, 0.25, 0.5), between(rng, 0.85, 0.97));
        let half = between(rng, 0.09, 0.17);
        let trunk = Shape::Slab { left: x - 0.02, top: top + 0.1, right: x + 0.02, bottom: base };
        scene.add(trunk, Paint::plain(colour(0.25, 140.0, 0.35)));
        let leaves = Paint::plain(colour(between(rng, 0.25, 0.6), between(rng, 150.0, 250.0), 0.6));
        let crown = if rng.below(2) == 0 {
            Shape::Tent { x, top, half, base: base - 0.1 }
        } else {
            Shape::Disc { x, y: top + half, wide: half, high: half * 1.2 }
        };
        scene.add(crown, leaves);
    }
}

fn lake(scene: &mut Scene, rng: &mut Rng) {
    let shore = between(rng, 0.62, 0.72);
    let (near, far) = (colour(0.35, 350.0, 0.6), colour(0.75, 340.0, 0.35));
    let water = Shape::Slab { left: 0.0, top: shore, right: WIDTH, bottom: 1.0 };
    scene.add(water, Paint { top: far, bottom: near });
    let count = rng.range_inclusive(1, 3);
    for nth in 0..count {
        let x = WIDTH * (nth as f32 + between(rng, 0.3, 0.7)) / count as f32;
        let (size, deck) = (between(rng, 0.10, 0.18), between(rng, shore + 0.06, 0.9));
        scene.add(Shape::Tent { x, top: deck - 2.2 * size, half: size * 0.7, base: deck - 0.02 }, vivid(rng));
        let hull = Shape::Disc { x, y: deck, wide: size, high: size * 0.3 };
        scene.add(hull, Paint::plain(colour(between(rng, 0.2, 0.5), 130.0, 0.6)));
    }
}

/// A stage under a roof, and the heads of those who listen.
fn stage(scene: &mut Scene, rng: &mut Rng) {
    let (left, right) = (between(rng, 0.15, 0.3), between(rng, 1.0, 1.2));
    let top = between(rng, 0.34, 0.45);
    let back = vivid(rng);
    scene.add(
        Shape::Slab { left, top, right, bottom: 0.82 },
        Paint { top: colour(0.9, 150.0, 0.6), bottom: back.bottom },
    );
    scene.add(
        Shape::Tent { x: (left + right) / 2.0, top: top - 0.2, half: (right - left) * 0.6, base: top },
        vivid(rng),
    );
    for _ in 0..rng.range_inclusive(2, 4) {
        let x = between(rng, left + 0.1, right - 0.1);
        let clothes = vivid(rng);
        scene.add(Shape::Disc { x, y: 0.78, wide: 0.05, high: 0.15 }, clothes);
        scene.add(
            Shape::Disc { x, y: 0.59, wide: 0.035, high: 0.045 },
            Paint::plain(colour(0.6, 135.0, 0.35)),
        );
    }
    let mut x = between(rng, -0.05, 0.05);
    while x < WIDTH {
        let dark = Paint::plain(colour(between(rng, 0.08, 0.22), between(rng, 0.0, 360.0), 0.15));
        let (size, y) = (between(rng, 0.05, 0.07), between(rng, 0.86, 0.92));
        scene.add(Shape::Disc { x, y: y + 0.16, wide: size * 1.9, high: 0.12 }, dark);
        scene.add(Shape::Disc { x, y, wide: size, high: size * 1.2 }, dark);
        x += between(rng, 0.14, 0.2);
    }
}
