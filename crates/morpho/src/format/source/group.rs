//! Bits that form buses.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::format::names::Taken;

/// A bit with a name: of a bus that is declared as one, at this position, or by itself.
pub(super) struct Bit<T> {
    pub name: String,
    pub place: Option<u32>,
    pub value: T,
}

/// A bus and its bits, lowest first, each with its position; a declared one may have gaps.
pub(super) struct Bus<T> {
    pub name: String,
    pub bits: Vec<(usize, T)>,
}

/// Puts bits together: those of a declared bus, and those named `a[3]` or `a_3` if all are there
/// from 0 and nothing else is named `a`. The buses come in the order of their first bits, no two
/// of one name.
pub(super) fn group<T: Copy>(bits: &[Bit<T>]) -> Vec<Bus<T>> {
    let stems = stems(bits);
    let mut places = FxHashMap::<&str, usize>::default();
    let mut buses: Vec<Bus<T>> = Vec::new();
    for bit in bits {
        let (name, place) = match bit.place {
            Some(place) => (&bit.name[..], Some(place)),
            None => match split(&bit.name) {
                Some((stem, _, place)) if stems.contains(split_key(&bit.name)) => {
                    (stem, Some(place))
                }
                _ => (&bit.name[..], None),
            },
        };
        let Some(place) = place else {
            buses.push(Bus { name: name.to_string(), bits: vec![(0, bit.value)] });
            continue;
        };
        let at = *places.entry(name).or_insert_with(|| {
            buses.push(Bus { name: name.to_string(), bits: Vec::new() });
            buses.len() - 1
        });
        buses[at].bits.push((place as usize, bit.value));
    }
    let mut repeated = Vec::new();
    for bus in &mut buses {
        bus.bits.sort_by_key(|&(place, _)| place);
        bus.bits.dedup_by(|bit, before| {
            let again = bit.0 == before.0;
            if again {
                repeated.push(Bus { name: bus.name.clone(), bits: vec![(0, bit.1)] });
            }
            again
        });
    }
    buses.append(&mut repeated);
    let mut taken = Taken::default();
    buses.iter_mut().for_each(|bus| bus.name = taken.claim(&bus.name, ""));
    buses
}

/// What the bits of a complete bus begin with: the name of the bus and the character behind it.
fn stems<T>(bits: &[Bit<T>]) -> FxHashSet<&str> {
    let mut found = FxHashMap::<&str, Vec<u32>>::default();
    let mut names = FxHashSet::<&str>::default();
    for bit in bits {
        match split(&bit.name) {
            Some((_, _, place)) if bit.place.is_none() => {
                found.entry(split_key(&bit.name)).or_default().push(place);
            }
            _ => (),
        }
        names.insert(&bit.name);
    }
    let complete = |(_, places): &mut (&str, Vec<u32>)| {
        places.sort_unstable();
        places.iter().enumerate().all(|(at, &place)| at == place as usize)
    };
    let mut found: Vec<(&str, Vec<u32>)> = found.into_iter().collect();
    found.retain_mut(complete);
    let complete: FxHashSet<&str> = found.into_iter().map(|(key, _)| key).collect();
    let may_stand = |key: &&str| {
        let stem = &key[..key.len() - 1];
        // `a[0]` and `a_0` cannot both be of the bus `a`.
        let other = format!("{stem}{}", if key.ends_with('[') { "_0" } else { "[0]" });
        // A bit `a[0]` of `a` leaves the name to a bus `a[0]`.
        let is_bit = split(stem).is_some() && complete.contains(split_key(stem));
        (!names.contains(stem) || is_bit) && !names.contains(&other[..])
    };
    complete.iter().copied().filter(may_stand).collect()
}

/// `a[3]` as `a`, `[` and 3; `a_3` as `a`, `_` and 3.
fn split(name: &str) -> Option<(&str, char, u32)> {
    let bracketed = name.strip_suffix(']');
    let text = bracketed.unwrap_or(name);
    let separator = if bracketed.is_some() { '[' } else { '_' };
    let (stem, digits) = text.rsplit_once(separator)?;
    let canonical = digits == "0" || !digits.starts_with('0');
    let digits = (canonical && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits);
    let place = digits?.parse().ok()?;
    (!stem.is_empty()).then_some((stem, separator, place))
}

/// The name of a bit up to and with the separator.
fn split_key(name: &str) -> &str {
    split(name).map_or(name, |(stem, ..)| &name[..stem.len() + 1])
}
