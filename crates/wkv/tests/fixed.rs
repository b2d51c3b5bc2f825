//! The integer model against the published circuit, and its laws.

mod common;

use common::golden;
use common::strategies;
use proptest::prelude::*;
use wkv::fixed::{Model, State, exp2_table, mul};
use wkv::spec::Division;
use wkv::stats::{Counts, ErrorStats};
use wkv::{WkvSpec, float};

fn model(spec: &str) -> Model {
    Model::new(&spec.parse().expect(spec))
}

#[test]
fn exponentials_equal_the_published_circuit() {
    let golden = golden::exponentials();
    let model = Model::new(&golden.spec);
    assert_eq!(golden.out.len(), 65536);
    for (x, &expected) in golden.out.iter().enumerate() {
        assert_eq!(model.exp2neg(x as i32), expected, "2^-x at raw x = {x}");
    }
}

#[test]
fn single_steps_equal_the_published_circuit() {
    let golden = golden::steps();
    let model = Model::new(&golden.spec);
    assert_eq!(golden.rows.len(), 4000);
    for (number, row) in golden.rows.iter().enumerate() {
        let step = model.step(row.state(), row.k, row.v, row.u, row.w);
        assert_eq!((step.out, step.next), (row.out, row.next()), "row {number}");
    }
}

#[test]
fn streams_equal_the_published_circuit() {
    let streams = golden::streams();
    assert_eq!(streams.len(), 13);
    for stream in streams {
        let model = Model::new(&stream.spec);
        let mut counts = Counts::default();
        for channel in 0..stream.channels() {
            let mut state = State::start(&stream.spec);
            let (u, w) = (stream.u[channel], stream.w[channel]);
            for token in 0..stream.tokens() {
                let step =
                    model.step(state, stream.k[channel][token], stream.v[channel][token], u, w);
                let at = format!("{}, channel {channel}, token {token}", stream.spec);
                assert_eq!(step.out, stream.out[channel][token], "{at}");
                state = step.next;
                counts += step.counts;
            }
            assert_eq!(state, stream.final_state(channel), "{}, channel {channel}", stream.spec);
        }
        if let Some(clips) = stream.page_clips {
            let counted = stream.as_page_clips(&counts);
            assert_eq!(counted, clips, "{}", stream.spec);
        }
    }
}

#[test]
fn table_entries_equal_products_of_roots() {
    // 2^(-i/L) without the exponential function: square roots of 1/2, which are exact to the last
    // bit, and their products.
    for entries in wkv::spec::Exp2::all_entries() {
        let root = (0..entries.ilog2()).fold(0.5f64, |root, _| root.sqrt());
        let mut spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
        spec.exp2 = spec.exp2.with_entries(entries).expect("an available size");
        let mut power = 65536.0;
        for (i, entry) in exp2_table(&spec).into_iter().enumerate() {
            assert!((power - f64::from(entry)).abs() <= 0.5, "entry {i} of {entries}: {power}");
            power *= root;
        }
    }
}

#[test]
fn table_entries_are_far_from_ties() {
    // So the last bit of the floating-point exponential never decides an entry.
    for entries in 1..=256 {
        for i in 1..entries {
            let exact = 65536.0 * (-f64::from(i) / f64::from(entries)).exp2();
            assert!((exact.fract() - 0.5).abs() > 1e-6, "entry {i} of {entries} is {exact}");
        }
    }
}

#[test]
fn tables_run_from_one_to_one_half() {
    for spec in strategies::all_specs() {
        let table = exp2_table(&spec);
        assert_eq!(table.len(), spec.exp2.entries() as usize + 1);
        assert_eq!((table[0], table[table.len() - 1]), (65536, 32768));
        assert!(table.is_sorted_by(|a, b| a > b), "{spec}");
    }
}

#[test]
fn exponentials_fall_and_halve() {
    for spec in strategies::all_specs() {
        let (model, one) = (Model::new(&spec), spec.format.one());
        let all: Vec<i32> = (0..65536).map(|x| model.exp2neg(x)).collect();
        assert_eq!(all[0], 65536);
        assert!(all.is_sorted_by(|a, b| a >= b), "{spec} rises");
        assert!(all.iter().all(|y| (0..=65536).contains(y)), "{spec}");
        for x in 0..(65536 - one).min(15 * one) {
            assert_eq!(all[(x + one) as usize], all[x as usize] >> 1, "{spec} at {x}");
        }
        for x in (16 * one).min(65536)..65536 {
            assert_eq!(all[x as usize], 0, "{spec} at {x}");
        }
    }
}

#[test]
fn classic_exponential_deviates_as_published() {
    let model = model("classic:q8.8");
    let deviation = |x: i32| {
        let exact = (-f64::from(x) / 256.0).exp2();
        (f64::from(model.exp2neg(x)) / 65536.0 - exact).abs()
    };
    let worst = (0..65536).map(deviation).fold(0.0, f64::max);
    assert_eq!(format!("{worst:.1e}"), "6.5e-5");
}

#[test]
fn the_denominator_reaches_one_more_than_a_signed_register() {
    let state = State { aa: 0, bb: 32767, pp: 0 };
    let step = model("classic:q8.8").step(state, 0, 32767, 0, 0);
    assert_eq!(step.counts.saturations.den, 1);
    // num / 32768 with den = 128.0: 32767 * 256 / 32768 rounds toward zero.
    assert_eq!(step.out, 255);
}

#[test]
fn a_quotient_is_rounded_as_the_spec_says() {
    let (restoring, exact) = (model("classic:q8.8"), model("classic:q8.8:div=exact"));
    // 3 * 256 / 512 = 1.5 and 5 * 256 / 512 = 2.5.
    for (n, toward_zero, to_nearest) in [(3, 1, 2), (-3, -1, -1), (5, 2, 3), (-5, -2, -2)] {
        assert_eq!((restoring.div(n, 512), exact.div(n, 512)), (toward_zero, to_nearest));
    }
    assert_eq!((restoring.div(-1, 65535), exact.div(-1, 65535)), (0, 0));
    assert_eq!((restoring.div(-32768, 1), exact.div(-32768, 1)), (-32768 * 256, -32768 * 256));
}

#[test]
fn every_kind_of_saturation_and_underflow_is_counted_alone() {
    let counts = |aa, bb, pp, k, v, u, w| {
        let Counts { saturations, underflows, .. } =
            model("classic:q8.8").step(State { aa, bb, pp }, k, v, u, w).counts;
        let counted = saturations.named().into_iter().chain(underflows.named());
        counted.filter(|(_, count)| *count == 1).map(|(name, _)| name).collect::<Vec<_>>()
    };
    let big = 30_000;
    assert_eq!(counts(0, 256, 0, 0, 0, 0, 0), [""; 0]);
    assert_eq!(counts(0, 256, big, big, 0, big, 0), ["ww"]);
    assert_eq!(counts(0, 256, -big, -big, 0, 0, -big), ["ww2"]);
    assert_eq!(counts(big, 256, 0, -512, big, 512, -2048), ["num"]);
    assert_eq!(counts(big, 256, 0, 0, big, -2048, 0), ["aa"]);
    assert_eq!(counts(0, 32767, 0, 0, 0, 0, -512), ["den"]);
    assert_eq!(counts(0, 32767, 0, 0, 0, 256, 0), ["bb"]);
    assert_eq!(counts(0, 256, 0, 4096, 0, 0, 0), ["e1", "f1"]);
    assert_eq!(counts(0, 256, 4096, 0, 0, 0, 0), ["e2", "f2"]);
    assert_eq!(counts(256, 0, 4096, 0, 0, 0, 0), ["out", "e2", "f2"]);
}

#[test]
fn classic_follows_the_float_reference() {
    let stream = golden::streams().into_iter().next().expect("there are streams");
    let real = |raw: i32| stream.spec.format.to_real(raw);
    let mut error = ErrorStats::default();
    for channel in 0..stream.channels() {
        let (u, w) = (real(stream.u[channel]), real(stream.w[channel]));
        let mut state = float::State::START;
        for token in 0..stream.tokens() {
            let (k, v) = (real(stream.k[channel][token]), real(stream.v[channel][token]));
            let (out, next) = float::step(state, k, v, u, w);
            error.record(real(stream.out[channel][token]) - out);
            state = next;
        }
    }
    // The published error on streams of this kind is 5.7e-3.
    assert!(error.rms() < 5.7e-3, "{error:?}");
}

proptest! {
    #[test]
    fn products_are_floored(a in strategies::raw(), e in 0..=65536i32) {
        let exact = i64::from(a) * i64::from(e);
        prop_assert_eq!(i64::from(mul(a, e)), exact.div_euclid(65536));
        prop_assert_eq!(mul(a, 65536), a);
    }

    #[test]
    fn quotients_are_the_nearest_or_the_next_toward_zero(
        spec in strategies::spec(),
        n in strategies::raw(),
        d in 1..=65535i64,
    ) {
        let quotient = i64::from(Model::new(&spec).div(n, d as i32));
        let scaled = i64::from(n) << spec.format.fraction_bits();
        match spec.division {
            Division::Restoring | Division::Newton => {
                let magnitude = quotient.abs() * d;
                prop_assert!(magnitude <= scaled.abs() && scaled.abs() < magnitude + d);
                prop_assert!(quotient * scaled >= 0);
            }
            // -1/2 <= quotient - exact < 1/2, the lower bound reversed by the sign of `scaled`.
            Division::Exact => {
                let twice = 2 * (scaled - quotient * d);
                prop_assert!(-d <= twice && twice < d, "{} / {}: {}", scaled, d, quotient);
            }
        }
    }

    #[test]
    fn a_step_from_any_state_stays_within_the_format(
        spec in strategies::spec(),
        state in strategies::any_state(),
        k in strategies::raw(),
        v in strategies::raw(),
        u in strategies::raw(),
        w in strategies::raw(),
    ) {
        let step = Model::new(&spec).step(state, k, v, u, w);
        for raw in [step.out, step.next.aa, step.next.bb, step.next.pp] {
            prop_assert!(spec.format.holds(raw), "{step:?}");
        }
    }

    #[test]
    fn a_negative_denominator_state_decays_by_the_same_formulas(
        spec in strategies::spec(),
        aa in strategies::raw(),
        bb in -32768..0i32,
        k in strategies::raw(),
        v in strategies::raw(),
    ) {
        // With w = 0 and pp = k both factors are 1.
        let step = Model::new(&spec).step(State { aa, bb, pp: k }, k, v, 0, 0);
        prop_assert_eq!(step.next, State {
            aa: spec.format.saturate(aa + v),
            bb: bb + spec.format.one(),
            pp: k,
        });
    }

    #[test]
    fn streams_keep_the_weights_above_one(
        spec in strategies::spec(),
        u in strategies::raw(),
        w in strategies::decay(),
        tokens in prop::collection::vec((strategies::raw(), strategies::raw()), 1..60),
    ) {
        let model = Model::new(&spec);
        let mut state = State::start(&spec);
        for (k, v) in tokens {
            let step = model.step(state, k, v, u, w);
            prop_assert!(step.next.bb >= spec.format.one(), "{step:?}");
            prop_assert!(step.next.pp >= k);
            // den >= 1 + one, so the quotient is smaller than num and always fits.
            prop_assert_eq!(step.counts.saturations.out, 0);
            state = step.next;
        }
    }
}

#[test]
fn equal_specs_give_equal_models() {
    let spelt_out: WkvSpec = "classic:q8.8:lut32:div=restoring".parse().expect("a spec");
    assert_eq!(model("classic:q8.8").spec(), &spelt_out);
}
