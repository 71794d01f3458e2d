//! A person: shoulders, head and hair before a wall.

use loadstone_stats::Rng;

use super::{Paint, Scene, Shape, WIDTH, between, colour};

/// A portrait.
pub(in super::super) fn portrait(rng: &mut Rng) -> Scene {
    let mut scene = wall(rng);
    let x = WIDTH / 2.0 + between(rng, -0.1, 0.1);
    let (top, wide) = (between(rng, 0.30, 0.36), between(rng, 0.155, 0.19));
    let high = wide * between(rng, 1.2, 1.35);
    let skin = colour(between(rng, 0.32, 0.82), between(rng, 125.0, 140.0), between(rng, 0.3, 0.45));
    let hair =
        Paint::plain(colour(between(rng, 0.08, 0.7), between(rng, 110.0, 155.0), between(rng, 0.1, 0.6)));
    let y = top + high / 2.0;
    // Long hair lies behind the shoulders, short hair only around the head.
    let is_long = rng.below(2) == 0;
    let behind =
        if is_long { (wide * 1.35, high * 1.55, y + 0.08) } else { (wide * 1.12, high * 1.1, y - 0.05) };
    scene.add(Shape::Disc { x, y: behind.2, wide: behind.0, high: behind.1 }, hair);
    let shadow = Paint::plain([skin[0] * 0.85, skin[1], skin[2]]);
    scene.add(Shape::Slab { left: x - 0.07, top: y, right: x + 0.07, bottom: y + high + 0.1 }, shadow);
    let clothes = colour(between(rng, 0.2, 0.85), between(rng, 0.0, 360.0), between(rng, 0.2, 0.9));
    let half = between(rng, 0.34, 0.46);
    scene.add(Shape::Disc { x, y: 1.06, wide: half, high: 0.33 }, Paint::plain(clothes));
    if rng.below(2) == 0 {
        let collar = Paint::plain(colour(0.92, 0.0, 0.0));
        scene.add(Shape::Tent { x, top: 0.92, half: 0.06, base: 1.0 }, collar);
    }
    scene.add(Shape::Disc { x, y, wide, high }, Paint::plain(skin));
    face(&mut scene, rng, (x, y, wide, high));
    let fringe = between(rng, 0.35, 0.6);
    scene.add(Shape::Disc { x, y: y - high * 0.85, wide: wide * 0.95, high: high * fringe }, hair);
    scene
}

/// A wall in two colours, with a round or square something on it.
fn wall(rng: &mut Rng) -> Scene {
    let (hue, strength) = (between(rng, 0.0, 360.0), between(rng, 0.15, 0.7));
    let (top, bottom) = (between(rng, 0.6, 0.95), between(rng, 0.4, 0.8));
    let turned = hue + between(rng, -50.0, 50.0);
    let mut scene =
        Scene::new(Paint { top: colour(top, hue, strength), bottom: colour(bottom, turned, strength) });
    let light = colour(between(rng, 0.5, 0.95), hue + between(rng, 90.0, 270.0), strength);
    let (x, y) = (between(rng, 0.1, 1.2), between(rng, 0.1, 0.5));
    let size = between(rng, 0.12, 0.3);
    let shape = match rng.below(3) {
        0 => Shape::Disc { x, y, wide: size, high: size },
        1 => Shape::Slab { left: x - size, top: y - size, right: x + size, bottom: y + size },
        _ => Shape::Slab { left: 0.0, top: 0.55 + y / 2.0, right: WIDTH, bottom: 1.0 },
    };
    scene.add(shape, Paint::plain(light));
    scene
}

fn face(scene: &mut Scene, rng: &mut Rng, (x, y, wide, high): (f32, f32, f32, f32)) {
    let dark = Paint::plain(colour(0.12, between(rng, 0.0, 360.0), 0.2));
    let glasses = rng.below(3) == 0;
    for side in [-1.0, 1.0] {
        let x = x + side * wide * 0.42;
        if glasses {
            scene.add(Shape::Disc { x, y, wide: wide * 0.34, high: wide * 0.3 }, dark);
            let glass = Paint::plain(colour(0.85, 330.0, 0.15));
            scene.add(Shape::Disc { x, y, wide: wide * 0.27, high: wide * 0.23 }, glass);
        }
        scene.add(Shape::Disc { x, y, wide: wide * 0.11, high: wide * 0.11 }, dark);
    }
    let mouth = Paint::plain(colour(0.4, 105.0, 0.6));
    let smile = between(rng, 0.04, 0.10);
    scene.add(Shape::Disc { x, y: y + high * 0.52, wide: wide * 0.32, high: wide * (smile + 0.04) }, mouth);
}
