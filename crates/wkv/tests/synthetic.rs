//! Streams drawn at random.

use wkv::stats::ErrorStats;
use wkv::synthetic::{BONUSES, Course, DECAYS, Distribution};
use wkv::{Arithmetic, WkvSpec};

const COURSES: [Course; 2] = [Course::Independent, Course::Wandering];

fn distribution(course: Course) -> Distribution {
    Distribution { course, key_scale: 3.0, value_scale: 0.5 }
}

#[test]
fn signals_have_their_scale() {
    for course in COURSES {
        let streams = distribution(course).draw(200, 256, 1);
        for (signal, scale) in [(&streams.k, 3.0), (&streams.v, 0.5)] {
            let zeros = vec![0.0; signal.len()];
            let rms = ErrorStats::between(&zeros, signal).rms();
            assert!((rms / scale - 1.0).abs() < 0.05, "{course}: {rms} for {scale}");
            let mean = signal.iter().sum::<f32>() / signal.len() as f32;
            assert!(f64::from(mean.abs()) < 0.05 * scale, "{course}: {mean}");
        }
    }
}

#[test]
fn decays_span_the_whole_range_and_bonuses_stay_in_theirs() {
    let streams = distribution(Course::Independent).draw(16, 4, 2);
    let [fastest, slowest] = [streams.w[0], streams.w[15]];
    assert!((fastest - DECAYS[0]).abs() < 1e-9 && (slowest - DECAYS[1]).abs() < 1e-9);
    assert!(streams.w.is_sorted());
    assert!(streams.u.iter().all(|&u| (BONUSES[0]..=BONUSES[1]).contains(&u)));
}

#[test]
fn a_seed_draws_the_same_again_and_another_draws_others() {
    let draw = |seed| distribution(Course::Wandering).draw(8, 32, seed);
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7).k, draw(8).k);
}

#[test]
fn the_reference_has_no_error_and_the_divider_shows() {
    let small = Distribution { key_scale: 0.3, ..distribution(Course::Independent) };
    let streams = small.draw(64, 256, 3);
    let measure = |spec: Arithmetic| {
        let [measured] = streams.measure::<1, 4>([&spec]);
        measured
    };
    let float = measure(Arithmetic::Float);
    assert_eq!(float.errors.iter().copied().sum::<ErrorStats>().max_abs, 0.0);
    let rms = |spec: &str| {
        let measured = measure(spec.parse().expect("a spec"));
        measured.errors.into_iter().sum::<ErrorStats>().rms()
    };
    assert!(rms("classic:q8.8:div=exact") < rms("classic:q8.8"));
    assert!(rms("classic:q8.8") < rms("classic:q10.6"));
}

/// The start of every stream leaves the range of the exponent once, and nothing else does.
#[test]
fn counts_are_of_the_arithmetic_that_was_measured() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let [measured] = distribution(Course::Independent).draw(64, 8, 4).measure::<1, 1>([&spec]);
    let counts = measured.counts;
    assert_eq!(counts.saturations.ww2, 64);
    assert_eq!(counts.saturations.total(), 64);
}
