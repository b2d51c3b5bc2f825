//! Random specs, states and inputs for property tests.

use proptest::prelude::*;
use wkv::WkvSpec;
use wkv::fixed::State;
use wkv::spec::{Division, Exp2, Format};

/// Every spec of the classic family: 13 formats, 7 tables, interpolated or not, three divisions.
pub fn all_specs() -> Vec<WkvSpec> {
    let mut specs = Vec::new();
    for format in Format::all() {
        for entries in Exp2::all_entries() {
            for interpolate in [true, false] {
                for division in [Division::Restoring, Division::Newton, Division::Exact] {
                    for guard in [true, false] {
                        let mut spec = WkvSpec::classic(format);
                        spec.exp2 = spec.exp2.with_entries(entries).expect("an available size");
                        spec.exp2.interpolate = interpolate;
                        spec.division = division;
                        spec.guard = guard;
                        specs.push(spec);
                    }
                }
            }
        }
    }
    specs
}

pub fn spec() -> impl Strategy<Value = WkvSpec> {
    prop::sample::select(all_specs())
}

/// Any raw integer of 16 bits; the ends of the range, zero and its neighbours, and powers of two
/// with theirs more often than chance would have them.
pub fn raw() -> impl Strategy<Value = i32> {
    let power = (0..16u32, -1..=1i32, prop::bool::ANY).prop_map(|(exponent, offset, negative)| {
        let magnitude = (1 << exponent) + offset;
        (if negative { -magnitude } else { magnitude }).clamp(-32768, 32767)
    });
    prop_oneof![
        4 => -32768..=32767,
        2 => -1024..=1024,
        1 => prop::sample::select(vec![-32768, -32767, -1, 0, 1, 32766, 32767]),
        1 => power,
    ]
}

/// A decay: zero or less.
pub fn decay() -> impl Strategy<Value = i32> {
    raw().prop_map(|w| if w > 0 { -w } else { w })
}

/// Any state at all, negative `bb` included.
pub fn any_state() -> impl Strategy<Value = State> {
    (raw(), raw(), raw()).prop_map(|(aa, bb, pp)| State { aa, bb, pp })
}

/// A state with `bb >= 0`, in which the output is defined.
pub fn state() -> impl Strategy<Value = State> {
    (raw(), 0..=32767i32, raw()).prop_map(|(aa, bb, pp)| State { aa, bb, pp })
}
