//! The file set against its laws, at a significance of 0.1 % with fixed seeds.

use libm::{erf, exp, log, pow, sqrt};
use loadstone_stats::{mean_interval, wilson};
use loadstone_surge::{FileSet, Profile, Sizes};

const FILES: u32 = 20_000;
/// Kolmogorov's distribution: sqrt(n) D exceeds this once in a thousand.
const KOLMOGOROV: f64 = 1.95;
const CONFIDENCE: f64 = 0.999;

fn sizes(set: &FileSet) -> Vec<u32> {
    let documents = (1..=set.documents()).map(|rank| set.document(rank).unwrap().0);
    documents.chain((1..=set.objects()).map(|number| set.object(number).unwrap())).collect()
}

/// Asserts that a sample is one of the law with this distribution function.
#[track_caller]
fn assert_drawn_from(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    sample.sort_by(f64::total_cmp);
    let count = sample.len() as f64;
    // The function is continuous: the greatest distance is at one of the steps, before or behind it.
    let distance = sample.iter().enumerate().fold(0.0, |most: f64, (i, x)| {
        let expected = cdf(*x);
        most.max((expected - i as f64 / count).abs()).max((expected - (i + 1) as f64 / count).abs())
    });
    let statistic = sqrt(count) * distance;
    assert!(statistic < KOLMOGOROV, "{statistic:.2} of {count} values");
}

fn body_cdf(law: &Sizes, x: f64) -> f64 {
    let whole = |x: f64| 0.5 * (1.0 + erf((log(x) - law.mu) / (law.sigma * sqrt(2.0))));
    (whole(x) - whole(law.least)) / (whole(law.split) - whole(law.least))
}

#[test]
fn sizes_have_a_log_normal_body_and_a_pareto_tail() {
    for profile in &Profile::ALL {
        let law = &profile.sizes;
        for seed in [1, 2, 3] {
            let all = sizes(&FileSet::generate(profile, FILES, seed).unwrap());
            assert_eq!(all.len(), FILES as usize);
            // Sizes are cut to whole bytes: the middle of the byte stands for it.
            let (body, tail): (Vec<f64>, Vec<f64>) =
                all.iter().map(|size| f64::from(*size) + 0.5).partition(|size| *size < law.split);
            let share = wilson(body.len() as u64, u64::from(FILES), CONFIDENCE);
            assert!((share.low..share.high).contains(&law.body_share), "{share:?}");
            assert_drawn_from(body, |x| body_cdf(law, x));
            assert_drawn_from(tail, |x| 1.0 - pow(x / law.split, -law.alpha));
        }
    }
}

#[test]
fn the_measured_profile_has_the_measured_sizes() {
    // Of 5,000 files: median 2,719 B, mean 20.6 KB, least 75 B.
    let mut all = sizes(&FileSet::generate(&Profile::MEASURED, 5_000, 1).unwrap());
    all.sort_unstable();
    assert!(all[0] >= 75);
    // The order statistics around the median that hold it in 99.9 % of samples.
    let (low, high) = (all[2_500 - 117], all[2_500 + 117]);
    assert!((low..high).contains(&3_100), "{low} {high}: the law's own median, body and tail together");
    let logs: Vec<f64> = all.iter().map(|size| log(f64::from(*size))).collect();
    let mean = exp(mean_interval(&logs, CONFIDENCE).unwrap().estimate);
    assert!((2_719.0..4_500.0).contains(&mean), "{mean}");
}

#[test]
fn pages_have_the_measured_references() {
    let set = FileSet::generate(&Profile::MEASURED, FILES, 4).unwrap();
    let objects: Vec<f64> =
        (1..=set.documents()).map(|rank| 1.0 + set.document(rank).unwrap().1.len() as f64).collect();
    let share_beyond = |least: f64| {
        let beyond = objects.iter().filter(|count| **count > least).count();
        wilson(beyond as u64, objects.len() as u64, CONFIDENCE)
    };
    let mean = mean_interval(&objects, CONFIDENCE).unwrap();
    assert!((mean.low..mean.high).contains(&3.5), "{mean:?}");
    assert!((share_beyond(5.0).low..share_beyond(5.0).high).contains(&0.12), "{:?}", share_beyond(5.0));
    // 0.30 of 0.62 of the files, not drawn but counted.
    assert!((share_beyond(1.0).estimate - 0.30 / 0.62).abs() < 1e-3, "{:?}", share_beyond(1.0));
    assert_eq!(objects.iter().copied().fold(0.0, f64::max), 133.0);
}

#[test]
fn references_are_objects_and_none_is_repeated() {
    let set = FileSet::generate(&Profile::MEASURED, 500, 9).unwrap();
    for rank in 1..=set.documents() {
        let mut references = set.document(rank).unwrap().1.to_vec();
        assert!(references.iter().all(|number| set.object(*number).is_some()));
        let count = references.len();
        references.sort_unstable();
        references.dedup();
        assert_eq!(references.len(), count);
    }
    assert_eq!((set.document(0), set.document(set.documents() + 1)), (None, None));
    assert_eq!((set.object(0), set.object(set.objects() + 1)), (None, None));
}

/// Greatest distance between the sizes that Zipf's law makes popular and the law of requested sizes.
fn request_distance(set: &FileSet, from_rank: u32) -> f64 {
    let law = Profile::SURGE_1998.requested.unwrap();
    let mut weighted: Vec<(f64, f64)> = (from_rank..=set.documents())
        .map(|rank| (f64::from(set.document(rank).unwrap().0), 1.0 / f64::from(rank)))
        .collect();
    weighted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    weighted.iter().fold(0.0, |most: f64, (size, weight)| {
        let expected = if *size < law.least { 0.0 } else { 1.0 - pow(*size / law.least, -law.alpha) };
        let before = (expected - sum / total).abs();
        sum += weight;
        most.max(before).max((expected - sum / total).abs())
    })
}

#[test]
fn popular_pages_have_the_sizes_that_are_asked_for() {
    let unmatched = Profile { requested: None, ..Profile::SURGE_1998 };
    for seed in [1, 2, 3] {
        let matched = FileSet::generate(&Profile::SURGE_1998, 5_000, seed).unwrap();
        let random = FileSet::generate(&unmatched, 5_000, seed).unwrap();
        // The first rank alone is 12 % of all requests, a step that no matching smooths.
        let (near, far) = (request_distance(&matched, 1), request_distance(&random, 1));
        assert!(near < 0.2 && near < 0.5 * far, "{near} {far}");
    }
}

#[test]
fn a_set_follows_from_its_arguments() {
    let set = |files, seed| FileSet::generate(&Profile::MEASURED, files, seed).unwrap();
    assert_eq!(set(1_000, 7), set(1_000, 7));
    assert_ne!(set(1_000, 7), set(1_000, 8));
    assert_eq!((set(1_000, 7).documents(), set(1_000, 7).objects()), (620, 380));
    for files in [0, 9, 1_000_001] {
        assert!(FileSet::generate(&Profile::MEASURED, files, 1).is_err());
    }
    for files in 10..60 {
        assert_eq!(set(files, 1).documents() + set(files, 1).objects(), files);
    }
}
