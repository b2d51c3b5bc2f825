//! Range analysis against streams: random and adversarial ones never leave the bounds, constructed
//! ones reach them.

mod common;

use common::strategies;
use proptest::prelude::*;
use wkv::fixed::{Model, State, mul};
use wkv::range::{Bounds, Channel, Fixed, Interval, RangeError, Registers};
use wkv::spec::Format;
use wkv::stats::Saturations;
use wkv::{WkvSpec, float};

/// What f64 rounds in a stream of the lengths below, as a part of the value.
const ROUNDING: f64 = 1e-9;

fn interval(low: f64, high: f64) -> Interval {
    Interval::new(low, high).expect("ordered")
}

fn channel(u: f64, w: f64, k: (f64, f64), v: (f64, f64)) -> Channel {
    Channel::new(u, w, interval(k.0, k.1), interval(v.0, v.1)).expect("a channel")
}

fn fixed(spec: &str) -> Fixed {
    Fixed::new(&spec.parse().expect(spec))
}

/// A channel in raw integers of a format.
#[derive(Clone, Copy, Debug)]
struct RawChannel {
    u: i32,
    w: i32,
    k: (i32, i32),
    v: (i32, i32),
}

impl RawChannel {
    fn real(&self, format: Format) -> Channel {
        let real = |raw| format.to_real(raw);
        let pair = |(low, high)| (real(low), real(high));
        channel(real(self.u), real(self.w), pair(self.k), pair(self.v))
    }
}

/// The values of a step before they are clamped, as the integer model is defined.
fn before_clamps(model: &Model, state: State, k: i32, v: i32, c: RawChannel) -> Registers<i32> {
    let format = model.spec().format;
    let weight = |e: i32| e >> (16 - format.fraction_bits());
    let ww = format.saturate(c.u + k);
    let p = state.pp.max(ww);
    let (e1, e2) = (model.exp2neg(p - state.pp), model.exp2neg(p - ww));
    let (num, den) = (mul(state.aa, e1) + mul(v, e2), mul(state.bb, e1) + weight(e2));
    let ww2 = format.saturate(state.pp + c.w);
    let p2 = ww2.max(k);
    let (f1, f2) = (model.exp2neg(p2 - ww2), model.exp2neg(p2 - k));
    Registers {
        ww: c.u + k,
        ww2: state.pp + c.w,
        pp: p2,
        aa: mul(state.aa, f1) + mul(v, f2),
        bb: mul(state.bb, f1) + weight(f2),
        num,
        den,
        out: model.div(format.saturate(num), format.saturate(den) + 1),
    }
}

/// Runs a stream and checks that the values of every token are within the bounds for its number.
fn check_raw(fixed: &Fixed, c: RawChannel, k: &[i32], v: &[i32]) -> Result<(), TestCaseError> {
    let (spec, format) = (fixed.spec(), fixed.spec().format);
    let model = Model::new(spec);
    let real = c.real(format);
    let (safe, any_length) = (fixed.first_saturation(&real), fixed.bounds(&real, None));
    let mut state = State::start(spec);
    for (token, (&k, &v)) in k.iter().zip(v).enumerate() {
        let values = before_clamps(&model, state, k, v, c);
        let step = model.step(state, k, v, c.u, c.w);
        state = step.next;
        prop_assert_eq!(format.saturate(values.aa), state.aa);
        prop_assert_eq!(step.counts.saturations.out, 0);

        let tokens = token as u64 + 1;
        let at = format!("{spec}, token {token}, {c:?}");
        let bounds = fixed.bounds(&real, Some(tokens));
        for (((name, &value), (_, bound)), (_, limit)) in
            values.named().into_iter().zip(bounds.named()).zip(any_length.named())
        {
            if name == "ww2" && token == 0 {
                continue;
            }
            let value = format.to_real(value);
            prop_assert!(
                bound.contains(value),
                "{}: {} is {}, not in {:?}",
                at,
                name,
                value,
                bound
            );
            prop_assert!(limit.low <= bound.low && bound.high <= limit.high, "{}: {}", at, name);
        }
        let Saturations { num, den, aa, bb, .. } = step.counts.saturations;
        let counted = [
            ("num", num, safe.num),
            ("den", den, safe.den),
            ("aa", aa, safe.aa),
            ("bb", bb, safe.bb),
        ];
        for (name, count, first) in counted {
            let excluded = first.is_none_or(|first| tokens < first);
            prop_assert!(count == 0 || !excluded, "{}: {} saturates before {:?}", at, name, first);
        }
    }
    Ok(())
}

/// Keys between two ends that drift by a fixed amount a token, from one end to the other and again.
fn drifting(ends: (i32, i32), drift: i32, start: i32, tokens: usize) -> Vec<i32> {
    let mut key = start.clamp(ends.0, ends.1);
    (0..tokens)
        .map(|_| {
            let current = key;
            key += drift;
            if key < ends.0 {
                key = ends.1;
            } else if key > ends.1 {
                key = ends.0;
            }
            current
        })
        .collect()
}

/// Two ends, near each other or anywhere.
fn raw_interval() -> impl Strategy<Value = (i32, i32)> {
    prop_oneof![
        (strategies::raw(), 0..=4000i32).prop_map(|(low, width)| (low, (low + width).min(32767))),
        (strategies::raw(), strategies::raw()).prop_map(|(a, b)| (a.min(b), a.max(b))),
    ]
}

fn raw_channel() -> impl Strategy<Value = RawChannel> {
    let u = prop_oneof![-2000..=2000, strategies::raw()];
    let w = prop_oneof![-20..=0, -2000..=0, strategies::decay()];
    (u, w, raw_interval(), raw_interval()).prop_map(|(u, w, k, v)| RawChannel { u, w, k, v })
}

/// Streams of a channel: anywhere, at the ends, drifting with the decay, and the worst keys.
fn streams(fixed: &Fixed, c: RawChannel, seed: &[(u32, u32)]) -> Vec<(Vec<i32>, Vec<i32>)> {
    let tokens = seed.len();
    let within = |(low, high): (i32, i32), part: u32| {
        low + (i64::from(part) * i64::from(high - low) / i64::from(u32::MAX)) as i32
    };
    let at_end =
        |(low, high): (i32, i32), part: u32| if part.is_multiple_of(2) { low } else { high };
    let random_keys = seed.iter().map(|s| within(c.k, s.0)).collect();
    let end_keys = seed.iter().map(|s| at_end(c.k, s.0)).collect();
    let random_values: Vec<i32> = seed.iter().map(|s| within(c.v, s.1)).collect();
    let end_values: Vec<i32> = seed.iter().map(|s| at_end(c.v, s.1)).collect();
    let falling = |drift, start| drifting(c.k, drift, start, tokens);
    // One loud token, then tokens that are almost lost below it.
    let quiet = c.k.1 - 8 * fixed.spec().format.one() - 1;
    let mut lost = vec![quiet.clamp(c.k.0, c.k.1); tokens];
    lost[0] = c.k.1;
    vec![
        (random_keys, random_values),
        (end_keys, end_values.clone()),
        (falling(c.w, c.k.1), vec![c.v.1; tokens]),
        (falling(c.w - 1, c.k.1), vec![c.v.0; tokens]),
        (falling(-1, c.k.1), end_values),
        (falling(0, c.k.0), vec![c.v.1; tokens]),
        (lost.clone(), vec![c.v.1; tokens]),
        (lost, vec![c.v.0; tokens]),
        (fixed.worst_keys(&c.real(fixed.spec().format), tokens), vec![c.v.1; tokens]),
        (fixed.worst_keys(&c.real(fixed.spec().format), tokens), vec![c.v.0; tokens]),
    ]
}

fn seed() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop::collection::vec(any::<(u32, u32)>(), 1..150)
}

proptest! {
    #[test]
    fn no_stream_leaves_the_bounds_of_the_integer_model(
        spec in strategies::spec(),
        c in raw_channel(),
        seed in seed(),
    ) {
        let fixed = Fixed::new(&spec);
        for (k, v) in streams(&fixed, c, &seed) {
            check_raw(&fixed, c, &k, &v)?;
        }
    }
}

/// The state and the output's sums after each token in f64.
fn run_real(u: f64, w: f64, k: &[f64], v: &[f64]) -> Vec<Registers<f64>> {
    let mut state = float::State::START;
    k.iter()
        .zip(v)
        .map(|(&k, &v)| {
            let (e1, e2, _) = float::factors(state.pp, u + k);
            let (num, den) = (e1 * state.aa + e2 * v, e1 * state.bb + e2);
            let ww2 = state.pp + w;
            let (out, next) = float::step(state, k, v, u, w);
            state = next;
            let float::State { aa, bb, pp } = next;
            Registers { ww: u + k, ww2, pp, aa, bb, num, den, out }
        })
        .collect()
}

fn holds(bound: &Interval, value: f64) -> bool {
    let margin = ROUNDING * value.abs().max(1.0);
    bound.low - margin <= value && value <= bound.high + margin
}

fn reaches(bound: f64, value: f64) -> bool {
    (bound - value).abs() <= ROUNDING * bound.abs().max(1.0)
}

fn check_real(c: &Channel, u: f64, w: f64, k: &[f64], v: &[f64]) -> Result<(), TestCaseError> {
    for (token, values) in run_real(u, w, k, v).into_iter().enumerate() {
        let bounds = c.bounds(Some(token as u64 + 1));
        for ((name, &value), (_, bound)) in values.named().into_iter().zip(bounds.named()) {
            if name == "ww2" && token == 0 {
                continue;
            }
            prop_assert!(
                holds(bound, value),
                "token {}: {} is {}, not in {:?}",
                token,
                name,
                value,
                bound
            );
        }
    }
    Ok(())
}

/// Keys that take the denominator to its bound at the last token.
fn worst_output_keys(u: f64, w: f64, (low, high): (f64, f64), tokens: usize) -> Vec<f64> {
    let exponent = low + u.max(0.0);
    let state = (0..tokens - 1).rev().map(|age| high.min(exponent - w * age as f64));
    state.chain([high.min(exponent - u).max(low)]).collect()
}

proptest! {
    #[test]
    fn no_stream_leaves_the_bounds_of_real_arithmetic(
        u in -20.0..20.0f64,
        w in prop_oneof![-0.05..0.0f64, -2.0..0.0f64, -30.0..0.0f64, Just(0.0)],
        k in (-30.0..10.0f64, prop_oneof![Just(0.0), 0.0..2.0f64, 0.0..40.0f64]),
        v in (-20.0..20.0f64, 0.0..20.0f64),
        parts in prop::collection::vec((0.0..=1.0f64, 0.0..=1.0f64), 1..200),
    ) {
        let (k, v) = ((k.0, k.0 + k.1), (v.0, v.0 + v.1));
        let c = channel(u, w, k, v);
        let within = |(low, high): (f64, f64), part: f64| low.max(high.min(low + part * (high - low)));
        let keys: Vec<f64> = parts.iter().map(|part| within(k, part.0)).collect();
        let values: Vec<f64> = parts.iter().map(|part| within(v, part.1)).collect();
        check_real(&c, u, w, &keys, &values)?;
        let ends: Vec<f64> = parts.iter().map(|part| if part.0 < 0.5 { k.0 } else { k.1 }).collect();
        check_real(&c, u, w, &ends, &values)?;
    }

    #[test]
    fn every_bound_of_real_arithmetic_is_reached(
        u in -20.0..20.0f64,
        w in prop_oneof![-0.05..0.0f64, -2.0..0.0f64, -30.0..0.0f64, Just(0.0)],
        k in (-30.0..10.0f64, prop_oneof![Just(0.0), 0.0..2.0f64, 0.0..40.0f64]),
        v in (-20.0..20.0f64, 0.0..20.0f64),
        tokens in 2..600usize,
    ) {
        let (k, v) = ((k.0, k.0 + k.1), (v.0, v.0 + v.1));
        let c = channel(u, w, k, v);
        let bounds = c.bounds(Some(tokens as u64));
        let last = |keys: &[f64], value: f64| *run_real(u, w, keys, &vec![value; tokens]).last().expect("tokens");

        let keys = c.worst_keys(tokens);
        prop_assert!(keys.iter().all(|&key| k.0 <= key && key <= k.1));
        prop_assert!(reaches(bounds.bb.high, last(&keys, 0.0).bb));
        if v.1 > 0.0 {
            prop_assert!(reaches(bounds.aa.high, last(&keys, v.1).aa));
        }
        if v.0 < 0.0 {
            prop_assert!(reaches(bounds.aa.low, last(&keys, v.0).aa));
        }
        let keys = worst_output_keys(u, w, k, tokens);
        prop_assert!(keys.iter().all(|&key| k.0 <= key && key <= k.1));
        let reached = last(&keys, v.1);
        prop_assert!(reaches(bounds.den.high, reached.den), "{} of {:?}", reached.den, bounds.den);
        if v.1 > 0.0 {
            prop_assert!(reaches(bounds.num.high, reached.num));
        }
        prop_assert!(reaches(bounds.out.high, reached.out));
        let first = run_real(u, w, &keys[..1], &[v.0])[0];
        prop_assert!(reaches(bounds.bb.low, first.bb) && reaches(bounds.den.low, first.den));
        prop_assert!(reaches(bounds.out.low, first.out));
    }
}

/// The greatest `bb` and `|aa|` that the worst keys reach, before the clamp, over their bounds.
fn reached(fixed: &Fixed, c: RawChannel, tokens: usize) -> (f64, f64) {
    let format = fixed.spec().format;
    let model = Model::new(fixed.spec());
    let real = c.real(format);
    let bounds = fixed.bounds(&real, Some(tokens as u64));
    let mut state = State::start(fixed.spec());
    let mut last = Registers::default();
    for k in fixed.worst_keys(&real, tokens) {
        assert!(c.k.0 <= k && k <= c.k.1);
        last = before_clamps(&model, state, k, c.v.1, c);
        state = model.step(state, k, c.v.1, c.u, c.w).next;
    }
    (format.to_real(last.bb) / bounds.bb.high, format.to_real(last.aa) / bounds.aa.high)
}

/// Whether no register of the state saturates within the first `tokens` tokens.
fn unsaturated(fixed: &Fixed, c: RawChannel, tokens: usize) -> bool {
    let first = fixed.first_saturation(&c.real(fixed.spec().format));
    [first.ww2, first.aa, first.bb].iter().all(|first| first.is_none_or(|f| f > tokens as u64))
}

/// Streams reach at least this part of the bounds of `bb` and `aa`, where nothing saturates, with
/// an interpolated exponential and 8 fraction bits or more.
const REACHED_INTERPOLATED: f64 = 0.98;

/// The same without interpolation.
const REACHED_STEPS: f64 = 0.95;

proptest! {
    #[test]
    fn streams_come_close_to_the_bounds_of_the_integer_model(
        fraction_bits in 8..=10u32,
        interpolate in any::<bool>(),
        w in prop_oneof![-20..0, -200..0, -2000..0],
        k in (-4000..0i32, prop_oneof![Just(0), 0..200i32, 0..2000i32]),
        v in 1..400i32,
        tokens in prop_oneof![1..40usize, 1..400usize],
    ) {
        let mut spec = WkvSpec::classic(Format::new(fraction_bits).expect("available"));
        spec.exp2.interpolate = interpolate;
        let fixed = Fixed::new(&spec);
        let c = RawChannel { u: 0, w, k: (k.0, k.0 + k.1), v: (v, v) };
        // Without interpolation the worst keys walk along whole steps of the table.
        let step = spec.format.one() / spec.exp2.entries() as i32;
        prop_assume!(unsaturated(&fixed, c, tokens) && (interpolate || k.1 >= step));
        let (bb, aa) = reached(&fixed, c, tokens);
        let least = if interpolate { REACHED_INTERPOLATED } else { REACHED_STEPS };
        prop_assert!(bb >= least && bb <= 1.0, "{}: bb reaches {} of its bound, {:?}, {} tokens", spec, bb, c, tokens);
        prop_assert!(aa <= 1.0 && (v < 64 || aa >= least - 0.02), "{}: aa reaches {}, {:?}", spec, aa, c);
    }

    #[test]
    fn a_channel_that_may_saturate_does_so_soon_after(
        w in prop_oneof![-3..=0, -12..=0, -100..=0],
        k in (-4000..0i32, 0..6000i32),
        v in 1..3000i32,
    ) {
        let fixed = fixed("classic:q8.8");
        let c = RawChannel { u: 0, w, k: (k.0, k.0 + k.1), v: (-v, v) }.real(fixed.spec().format);
        let (first, witness) = (fixed.first_saturation(&c), fixed.witness(&c));
        for (first, witness) in [(first.aa, witness.aa), (first.bb, witness.bb)] {
            match (first, witness) {
                (Some(first), Some(witness)) => {
                    prop_assert!(witness >= first, "a run saturates before it can");
                    prop_assert!(witness <= first * 2 + 16);
                }
                (None, witness) => prop_assert_eq!(witness, None),
                // Between what is proven and what a stream reaches.
                (Some(_), None) => {}
            }
        }
    }
}

#[test]
fn constant_keys_sum_to_the_geometric_series() {
    let c = channel(0.0, -0.0098, (3.0, 3.0), (-1.0, 2.0));
    let Bounds { aa, bb, .. } = c.bounds(None);
    let sum = 1.0 / (1.0 - (-0.0098_f64).exp2());
    assert!(reaches(sum, bb.high) && reaches(2.0 * sum, aa.high) && reaches(-sum, aa.low));
    assert_eq!(bb.high as i32, 147);
    assert_eq!(bb.integer_bits(), Some(9));
}

#[test]
fn the_slow_channel_is_saved_by_its_quantised_decay_in_q8_8_but_not_from_falling_keys() {
    let fixed = fixed("classic:q8.8");
    // -0.0098 is -2.51 units, which becomes -3: the sum is 1 / (1 - 2^(-3/256)), about 124.
    let constant = channel(0.0, -0.0098, (0.0, 0.0), (0.0, 0.5));
    assert_eq!(fixed.first_saturation(&constant).bb, None);
    assert!(fixed.bounds(&constant, None).bb.high > 122.0);

    // A range of one bit lets 86 more tokens keep their weight.
    let falling = channel(0.0, -0.0098, (0.0, 1.0), (0.0, 0.5));
    let (first, witness) = (fixed.first_saturation(&falling), fixed.witness(&falling));
    assert_eq!(first.aa, None);
    let (first, witness) = (first.bb.expect("saturates"), witness.bb.expect("saturates"));
    assert!(128 < first && first <= witness && witness < first + first / 20, "{first}, {witness}");
}

#[test]
fn a_decay_that_is_quantised_to_zero_has_no_limit() {
    let c = channel(0.0, -0.001, (-1.0, 0.0), (0.0, 0.25));
    let fixed = fixed("classic:q8.8");
    let bounds = fixed.bounds(&c, None);
    assert_eq!((bounds.bb.high, bounds.bb.integer_bits()), (f64::INFINITY, None));
    assert_eq!(fixed.first_saturation(&c).bb, Some(128));
    assert_eq!(fixed.witness(&c).bb, Some(128));
    // 1001 keys at full weight, then the series from one token later on.
    let older = (-0.001_f64).exp2() / (1.0 - (-0.001_f64).exp2());
    assert!(reaches(1001.0 + older, c.bounds(None).bb.high));
}

#[test]
fn the_least_weights_add_up_without_a_decay() {
    let c = channel(5000.0, 0.0, (0.0, 0.0), (-1.0, 1.0));
    let Bounds { num, den, .. } = c.bounds(None);
    assert_eq!((num.low, num.high, den.high), (f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY));
}

#[test]
fn without_interpolation_a_slow_channel_does_not_decay() {
    let c = channel(0.0, -7.0 / 256.0, (0.0, 0.03), (0.0, 0.25));
    assert_eq!(fixed("classic:q8.8:nointerp").bounds(&c, None).bb.high, f64::INFINITY);
    assert_eq!(fixed("classic:q8.8:nointerp").witness(&c).bb, Some(128));
    assert_eq!(fixed("classic:q8.8").first_saturation(&c).bb, None);
}

#[test]
fn keys_at_the_rail_do_not_decay() {
    // `ww2` stays at the rail with them.
    let fixed = fixed("classic:q8.8");
    let c = channel(0.0, -4.0, (-128.0, -128.0), (0.0, 0.25));
    assert_eq!(fixed.first_saturation(&c).bb, Some(128));
    assert_eq!(fixed.witness(&c).bb, Some(128));
    assert_eq!(fixed.first_saturation(&c).ww2, Some(2));
}

/// The greatest output of a stream of the greatest value, and its bound, over that value.
fn overshoot(fixed: &Fixed, c: RawChannel, keys: &[i32]) -> (f64, f64) {
    let format = fixed.spec().format;
    let model = Model::new(fixed.spec());
    let mut state = State::start(fixed.spec());
    let mut greatest = 0;
    for &k in keys {
        let step = model.step(state, k, c.v.1, c.u, c.w);
        state = step.next;
        greatest = greatest.max(step.out);
    }
    let bound = fixed.bounds(&c.real(format), Some(keys.len() as u64)).out.high;
    let value = format.to_real(c.v.1);
    (format.to_real(greatest) / value, bound / value)
}

#[test]
fn the_guard_bounds_the_first_output_exactly() {
    let fixed = fixed("classic:q8.8");
    let model = Model::new(fixed.spec());
    // With a divisor of 257 the quotients of multiples of 257 are whole.
    for v in (257..32767).step_by(257) {
        let c = RawChannel { u: 0, w: -8, k: (0, 0), v: (-v, v) };
        let out = fixed.bounds(&c.real(fixed.spec().format), Some(1)).out;
        let first = |v| model.step(State::start(fixed.spec()), 0, v, c.u, c.w).out;
        assert_eq!(out.high, fixed.spec().format.to_real(first(v)));
        assert_eq!(out.low, fixed.spec().format.to_real(first(-v)));
    }
}

#[test]
fn floors_let_the_output_leave_the_range_of_the_values() {
    // Keys just more than 8 bits below the exponent add 0 to `bb`, and to `aa` almost one unit for
    // each 1.0 of the value.
    let fixed = fixed("classic:q8.8");
    let c = RawChannel { u: -2304, w: -1, k: (-2304, 0), v: (2560, 2560) };
    let keys: Vec<i32> = (0..127).map(|age: i32| if age == 0 { 0 } else { -2049 - age }).collect();
    let (reached, bound) = overshoot(&fixed, c, &keys);
    assert!(reached > 1.4 && reached <= bound && bound <= 1.1 * reached, "{reached} of {bound}");
}

#[test]
fn a_saturated_denominator_multiplies_the_output() {
    let fixed = fixed("classic:q8.8");
    let c = RawChannel { u: 0, w: 0, k: (0, 0), v: (10, 10) };
    let (reached, bound) = overshoot(&fixed, c, &[0; 1024]);
    assert!(reached > 7.0 && reached <= bound && bound <= 5.0 * reached, "{reached} of {bound}");
}

#[test]
fn integer_bits_count_the_sign() {
    let bits = |low, high| Interval { low, high }.integer_bits();
    assert_eq!(bits(0.0, 0.0), Some(1));
    assert_eq!(bits(-1.0, 0.999), Some(1));
    assert_eq!(bits(0.0, 1.0), Some(2));
    assert_eq!(bits(-128.0, 127.99), Some(8));
    assert_eq!(bits(-128.1, 0.0), Some(9));
    assert_eq!(bits(0.0, 128.0), Some(9));
    assert_eq!(bits(f64::NEG_INFINITY, 0.0), None);
}

#[test]
fn unusable_ranges_are_refused() {
    assert!(matches!(Interval::new(1.0, 0.0), Err(RangeError::Interval { .. })));
    assert!(matches!(Interval::new(f64::NAN, 0.0), Err(RangeError::Interval { .. })));
    assert!(matches!(Interval::new(0.0, f64::INFINITY), Err(RangeError::Interval { .. })));
    let unit = interval(0.0, 1.0);
    assert!(matches!(Channel::new(0.0, 0.1, unit, unit), Err(RangeError::Decay(_))));
    assert!(matches!(Channel::new(0.0, f64::NAN, unit, unit), Err(RangeError::Decay(_))));
    assert!(matches!(Channel::new(f64::INFINITY, 0.0, unit, unit), Err(RangeError::Bonus(_))));
}
