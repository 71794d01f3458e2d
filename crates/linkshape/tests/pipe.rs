//! One direction of a link under a virtual clock, against what theory says.
//!
//! Random quantities are compared within five standard errors: a true claim fails once in 1.7 million.

use loadstone_linkshape::{Fate, Jitter, Nanos, Pipe, Shape};
use loadstone_stats::Rng;
use proptest::prelude::*;

const MS: Nanos = 1_000_000;

fn pipe(shape: Shape) -> Pipe {
    shape.check().unwrap();
    Pipe::new(shape, Rng::new(7))
}

/// Delays in milliseconds of `count` frames, one every 100 ms.
fn delays(shape: Shape, count: u64) -> Vec<f64> {
    let mut pipe = pipe(shape);
    (1..=count)
        .filter_map(|frame| match pipe.offer(frame * 100 * MS, 100) {
            Fate::Departs(at) => Some((at - frame * 100 * MS) as f64 / MS as f64),
            _ => None,
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn without_a_shape_nothing_happens() {
    assert_eq!(pipe(Shape::default()).offer(5, 1514), Fate::Departs(5));
}

#[test]
fn delay_is_exact() {
    let shape = Shape { delay_ms: 2.5, ..Shape::default() };
    assert!(delays(shape, 10).iter().all(|delay| *delay == 2.5));
}

#[test]
fn jitter_has_the_mean_and_the_deviation_asked_for() {
    // The fourth central moment over the variance squared: it says how exact a measured deviation is.
    for (law, kurtosis) in [(Jitter::Normal, 3.0), (Jitter::Uniform, 1.8), (Jitter::Exponential, 9.0)] {
        let shape = Shape { delay_ms: 20.0, jitter_ms: 3.0, law, ..Shape::default() };
        let count = 40_000;
        let delays = delays(shape, count);
        let root = (count as f64).sqrt();
        assert!((mean(&delays) - 20.0).abs() < 5.0 * 3.0 / root, "{law:?}: {}", mean(&delays));
        let error = 3.0 * ((kurtosis - 1.0) / 4.0_f64).sqrt() / root;
        assert!((deviation(&delays) - 3.0).abs() < 5.0 * error, "{law:?}: {}", deviation(&delays));
    }
}

#[test]
fn uniform_and_exponential_keep_to_their_ranges() {
    let uniform = Shape { delay_ms: 10.0, jitter_ms: 1.0, law: Jitter::Uniform, ..Shape::default() };
    let half = 3.0_f64.sqrt() + 1e-6;
    assert!(delays(uniform, 10_000).iter().all(|delay| (delay - 10.0).abs() <= half));
    let exponential = Shape { delay_ms: 10.0, jitter_ms: 4.0, law: Jitter::Exponential, ..Shape::default() };
    assert!(delays(exponential, 10_000).iter().all(|delay| *delay >= 6.0 - 1e-6));
}

#[test]
fn loss_is_the_share_asked_for() {
    let count = 100_000;
    let kept = delays(Shape { loss: 0.02, ..Shape::default() }, count).len();
    let lost = (count - kept as u64) as f64;
    assert!((lost - 2000.0).abs() < 5.0 * (2000.0_f64 * 0.98).sqrt(), "{lost}");
    assert!(delays(Shape { loss: 1.0, ..Shape::default() }, 100).is_empty());
}

#[test]
fn a_wire_sends_at_its_rate_and_drops_what_waits_too_long() {
    // 1250 bytes at 10 Mbit/s take 1 ms; a queue of 5 ms holds five of them and the one that overlaps.
    let mut pipe = pipe(Shape { rate_mbit: Some(10.0), queue_ms: 5.0, delay_ms: 1.0, ..Shape::default() });
    let fates: Vec<_> = (0..8).map(|_| pipe.offer(MS, 1250)).collect();
    let sent: Vec<_> = (1..=6).map(|place| Fate::Departs((2 + place) * MS)).collect();
    assert_eq!(fates[..6], sent);
    assert_eq!(fates[6..], [Fate::QueueFull, Fate::QueueFull]);
    assert_eq!(pipe.offer(8 * MS, 1250), Fate::Departs(10 * MS), "the queue is empty again");
}

#[test]
fn a_bucket_passes_its_burst_at_once_and_then_the_rate() {
    // A bucket of 10 KiB at 8.192 Mbit/s: one KiB a millisecond.
    let shape = Shape { rate_mbit: Some(8.192), burst_kib: 10.0, queue_ms: 1000.0, ..Shape::default() };
    let mut pipe = pipe(shape);
    let start = 1000 * MS;
    for _ in 0..10 {
        assert_eq!(pipe.offer(start, 1024), Fate::Departs(start));
    }
    assert_eq!(pipe.offer(start, 1024), Fate::Departs(start + MS));
    assert_eq!(pipe.offer(start, 1024), Fate::Departs(start + 2 * MS));
}

#[test]
fn cross_traffic_makes_the_waits_of_an_m_d_1_queue() {
    // Pollaczek and Khinchine: the mean wait is ρ s / (2 (1 - ρ)) for service time s and load ρ. Frames of
    // one byte, far apart, see the queue as it is at a random time.
    let (rate, load) = (10.0, 0.6);
    let shape = Shape { rate_mbit: Some(rate), cross_mbit: load * rate, queue_ms: 1e6, ..Shape::default() };
    let service_ms = 1514.0 * 8.0 / (rate * 1e3);
    let waits = delays(shape, 40_000);
    let expected = load * service_ms / (2.0 * (1.0 - load)) + 8.0 * 100.0 / (rate * 1e3);
    let error = deviation(&waits) / (waits.len() as f64).sqrt();
    assert!((mean(&waits) - expected).abs() < 5.0 * error, "{} beside {expected}", mean(&waits));
}

#[test]
fn cross_traffic_arrives_at_its_rate_and_costs_little_after_a_long_rest() {
    let shape = Shape { rate_mbit: Some(1000.0), cross_mbit: 500.0, ..Shape::default() };
    let mut pipe = pipe(shape);
    let mut now = 3_600_000 * MS;
    assert!(matches!(pipe.offer(now, 100), Fate::Departs(_)));
    let replayed = pipe.cross_frames();
    assert!(replayed < 4000, "{replayed}: an hour is not replayed frame by frame");
    for _ in 0..10_000 {
        now += MS / 10;
        pipe.offer(now, 100);
    }
    let expected = 500e6 / (1514.0 * 8.0);
    let arrived = (pipe.cross_frames() - replayed) as f64;
    assert!((arrived - expected).abs() < 5.0 * expected.sqrt(), "{arrived} beside {expected}");
}

fn shapes() -> impl Strategy<Value = Shape> {
    let law = prop_oneof![Just(Jitter::Normal), Just(Jitter::Uniform), Just(Jitter::Exponential)];
    let rate = (1.0..1000.0_f64, 0.0..0.9_f64);
    (0.0..50.0_f64, 0.0..50.0_f64, law, 0.0..0.5_f64, prop::option::of(rate), 0.0..64.0_f64).prop_map(
        |(delay_ms, jitter_ms, law, loss, rate, burst_kib)| Shape {
            delay_ms,
            jitter_ms,
            law,
            loss,
            rate_mbit: rate.map(|(rate, _)| rate),
            burst_kib,
            queue_ms: 20.0,
            cross_mbit: rate.map_or(0.0, |(rate, load)| rate * load),
        },
    )
}

proptest! {
    #[test]
    fn frames_keep_their_order_and_never_arrive_before_they_are_sent(
        shape in shapes(),
        steps in prop::collection::vec((0..10 * MS, 14..1515_usize), 1..200),
    ) {
        let mut pipe = pipe(shape);
        let (mut now, mut last) = (0, 0);
        for (pause, bytes) in steps {
            now += pause;
            if let Fate::Departs(at) = pipe.offer(now, bytes) {
                prop_assert!(at >= now && at >= last);
                last = at;
            }
        }
    }

    #[test]
    fn a_bucket_never_passes_more_than_burst_and_rate_allow(
        burst_kib in 0.0..64.0_f64,
        rate in 1.0..1000.0_f64,
        steps in prop::collection::vec((0..MS, 14..1515_usize), 1..300),
    ) {
        let mut pipe = pipe(Shape { rate_mbit: Some(rate), burst_kib, ..Shape::default() });
        let (mut now, mut first, mut bytes) = (1000 * MS, None, 0);
        for (pause, size) in steps {
            now += pause;
            if let Fate::Departs(at) = pipe.offer(now, size) {
                let since = at - *first.get_or_insert(at);
                bytes += size;
                // The first frame's own time on the wire, and a byte a frame of rounding.
                let allowed = burst_kib * 1024.0 + since as f64 * rate / 8e3 + 1514.0 + 300.0;
                prop_assert!(bytes as f64 <= allowed, "{bytes} bytes, {allowed} allowed");
            }
        }
    }
}
