//! The exponential: its table, the line between two entries, and a number taken apart.

use maud::{Markup, html};
use wkv::WkvSpec;
use wkv::fixed::{Model, exp2_table};

use super::picture::{Picture, Scale, WIDTH, computed, path, place};
use crate::report::notation::thousands;

/// A factor of 1.
const ONE: f64 = 65536.0;

/// The entry from which the magnified part begins, of 32 entries.
const MAGNIFIED: usize = 11;

/// The number that is taken apart.
const EXAMPLE: f64 = 2.7;

/// The table of `spec` with the curve it stands for, and one step of it magnified.
pub fn table(spec: &WkvSpec) -> Markup {
    let table = exp2_table(spec);
    let entries = table.len() - 1;
    let picture = Picture {
        id: "table",
        title: format!("A table of {entries} entries for 2 to the minus x"),
        description: format!(
            "The curve of 2 to the minus x for x from 0 to 1, falling from 1 to one half, with a dot at each \
             entry of the table. One step, from entry {MAGNIFIED} to the next, is magnified: what the \
             circuit computes lies on a straight line between the two entries, and the curve cannot be \
             told from it."
        ),
        height: 292.0,
        body: html! { (curve(&table)) (magnified(spec, &table)) },
    };
    let command = format!("wkv build --spec {spec} --unit exp2");
    picture.figure(html! {
        "The table (dots) and the true curve (line). Magnified: one step, with every value that the "
        "circuit gives in it (diamonds). "
        (computed("from the spec and the integer model", &command))
    })
}

/// The curve over the whole fraction, with the entries.
fn curve(table: &[i32]) -> Markup {
    let x = Scale::new([0.0, 1.0], [40.0, WIDTH - 12.0]);
    let y = Scale::new([0.5, 1.0], [244.0, 16.0]);
    let entries = table.len() - 1;
    let share = |entry: usize| entry as f64 / entries as f64;
    let factor = |entry: i32| f64::from(entry) / ONE;
    let step = [share(MAGNIFIED), share(MAGNIFIED + 1)].map(|value| x.at(value));
    let rise = [table[MAGNIFIED], table[MAGNIFIED + 1]].map(|entry| y.at(factor(entry)));
    html! {
        g.axis {
            @for (value, label) in [(0.5, "½"), (0.75, "¾"), (1.0, "1")] {
                path.line d=(path([(x.at(0.0), y.at(value)), (x.at(1.0), y.at(value))])) {}
                text.end x="32" y=(place(y.at(value) + 4.0)) { (label) }
            }
            @for (value, label) in [(0.0, "0"), (0.25, "¼"), (0.5, "½"), (0.75, "¾"), (1.0, "1")] {
                text.middle x=(x.place(value)) y="264" { (label) }
            }
            text.middle x=(x.place(0.5)) y="284" { "fraction of x" }
        }
        path.float.trace d=(path((0..=64).map(|part| f64::from(part) / 64.0).map(|value| (x.at(value), y.at((-value).exp2()))))) {}
        g.circuit { @for (entry, value) in table.iter().enumerate() {
            circle cx=(x.place(share(entry))) cy=(y.place(factor(*value))) r="2.4" {}
        } }
        rect.lens x=(place(step[0] - 4.0)) y=(place(rise[0] - 4.0))
            width=(place(step[1] - step[0] + 8.0)) height=(place(rise[1] - rise[0] + 8.0)) {}
        path.lens d=(path([(step[1] + 4.0, rise[0] - 4.0), (212.0, 24.0)])) {}
        path.lens d=(path([(step[1] + 4.0, rise[1] + 4.0), (212.0, 142.0)])) {}
    }
}

/// One step of the table, with what the circuit gives for every number in it.
fn magnified(spec: &WkvSpec, table: &[i32]) -> Markup {
    let entries = table.len() - 1;
    let model = Model::new(spec);
    let one = spec.format.one() as usize;
    let numbers = MAGNIFIED * one / entries..=(MAGNIFIED + 1) * one / entries;
    let real = |raw: usize| raw as f64 / one as f64;
    let values: Vec<(f64, f64)> =
        numbers.map(|raw| (real(raw), f64::from(model.exp2neg(raw as i32)) / ONE)).collect();
    let ends = |of: fn(&(f64, f64)) -> f64| [of(&values[0]), of(&values[values.len() - 1])];
    let x = Scale::new(ends(|value| value.0), [228.0, WIDTH - 28.0]);
    let y = Scale::new(ends(|value| value.1), [40.0, 126.0]);
    let [from, to] = ends(|value| value.0);
    let parts = (0..=16).map(|part| from + (to - from) * f64::from(part) / 16.0);
    html! {
        rect.lens.ground x="212" y="24" width=(place(WIDTH - 12.0 - 212.0)) height="118" {}
        path.float.trace d=(path(parts.map(|value| (x.at(value), y.at((-value).exp2()))))) {}
        g.circuit { @for (number, value) in &values { (diamond(x.at(*number), y.at(*value))) } }
        g.axis {
            text x="246" y="44" { "T[" (MAGNIFIED) "] = " (thousands(table[MAGNIFIED] as u64)) }
            text.end x="356" y="134" { "T[" (MAGNIFIED + 1) "] = " (thousands(table[MAGNIFIED + 1] as u64)) }
        }
    }
}

/// A mark that is no circle.
pub fn diamond(x: f64, y: f64) -> Markup {
    const HALF: f64 = 4.2;
    let corners = [(x - HALF, y), (x, y - HALF), (x + HALF, y), (x, y + HALF)];
    html! { path d=(path(corners) + "Z") {} }
}

/// A number taken apart: its bits, what each group does, and the factor that comes out.
struct Parts {
    raw: i32,
    whole: i32,
    index: usize,
    low: i32,
    index_bits: u32,
    low_bits: u32,
    entry: i32,
    fall: i32,
    fraction_factor: i32,
    factor: i32,
}

impl Parts {
    fn of(spec: &WkvSpec) -> Self {
        let table = exp2_table(spec);
        let (raw, _) = spec.format.quantise(EXAMPLE);
        let fraction_bits = spec.format.fraction_bits();
        let index_bits = spec.exp2.entries().ilog2().min(fraction_bits);
        let low_bits = fraction_bits - index_bits;
        let fraction = raw & (spec.format.one() - 1);
        let index = (fraction >> low_bits) as usize;
        let model = Model::new(spec);
        Self {
            raw,
            whole: raw >> fraction_bits,
            index,
            low: fraction & ((1 << low_bits) - 1),
            index_bits,
            low_bits,
            entry: table[index],
            fall: table[index] - table[index + 1],
            fraction_factor: model.exp2neg(fraction),
            factor: model.exp2neg(raw),
        }
    }
}

/// The picture of [`EXAMPLE`], taken apart as the circuit of `spec` does it.
pub fn word(spec: &WkvSpec) -> Markup {
    let parts = Parts::of(spec);
    let x = spec.format.to_real(parts.raw);
    let factor = f64::from(parts.factor) / ONE;
    let bits = spec.format.bits();
    let picture = Picture {
        id: "word",
        title: format!("The {bits} bits of x = {x} and what each group of them does"),
        description: format!(
            "The highest bits are the whole part, {}: how far to shift. The next {} are the fraction's \
             index, {}: which entry of the table. The last {} say how far to go towards the next entry: {} of {}.",
            parts.whole,
            parts.index_bits,
            parts.index,
            parts.low_bits,
            parts.low,
            1 << parts.low_bits
        ),
        height: 218.0,
        body: word_body(spec, &parts),
    };
    picture.figure(html! {
        "x = " (x) ", bit for bit. The result, " (thousands(parts.factor as u64)) " / "
        (thousands(ONE as u64)) " = " (format!("{factor:.6}")) ", beside the true "
        (format!("{:.6}", (-x).exp2())) ". " (computed("by the integer model", &format!("wkv build --spec {spec} --unit exp2")))
    })
}

fn word_body(spec: &WkvSpec, parts: &Parts) -> Markup {
    let bits = spec.format.bits();
    let cell = (WIDTH - 24.0) / f64::from(bits);
    let left = |place: u32| 12.0 + cell * f64::from(place);
    let whole_bits = bits - parts.index_bits - parts.low_bits;
    let groups = [
        (0, whole_bits, "soft", format!("whole part: {}", parts.whole), "shift down"),
        (whole_bits, parts.index_bits, "circuit", format!("entry {}", parts.index), "look up"),
        (
            whole_bits + parts.index_bits,
            parts.low_bits,
            "accent",
            format!("+{}/{}", parts.low, 1 << parts.low_bits),
            "line",
        ),
    ];
    html! {
        @for place_of_bit in 0..bits {
            rect.bit x=(place(left(place_of_bit))) y="34" width=(place(cell)) height="28" {}
            text.middle.mono x=(place(left(place_of_bit) + cell / 2.0)) y="53" {
                (parts.raw >> (bits - 1 - place_of_bit) & 1)
            }
        }
        @for (from, width, class, label, verb) in groups.iter().filter(|group| group.1 > 0) {
            @let [start, end] = [left(*from) + 2.0, left(from + width) - 2.0];
            g class=(class) {
                path.trace d=(path([(start, 72.0), (start, 78.0), (end, 78.0), (end, 72.0)])) {}
                text.middle x=(place((start + end) / 2.0)) y="96" { (label) }
                text.middle.verb x=(place((start + end) / 2.0)) y="24" { (verb) }
            }
        }
        (calculation(parts))
    }
}

/// The arithmetic in three lines.
fn calculation(parts: &Parts) -> Markup {
    let lines = [
        ("entry".to_owned(), format!("T[{}] = {}", parts.index, thousands(parts.entry as u64))),
        (
            "line".to_owned(),
            format!(
                "{} − {} × {} / {} = {}",
                thousands(parts.entry as u64),
                thousands(parts.fall as u64),
                parts.low,
                1 << parts.low_bits,
                thousands(parts.fraction_factor as u64)
            ),
        ),
        (
            "shift".to_owned(),
            format!(
                "{} / 2{} = {}",
                thousands(parts.fraction_factor as u64),
                crate::report::notation::superscript(&parts.whole.to_string()),
                thousands(parts.factor as u64)
            ),
        ),
    ];
    html! {
        path.line d="M12 116L388 116" {}
        @for (number, (name, line)) in lines.iter().enumerate() {
            @let y = 142.0 + 28.0 * number as f64;
            text.soft x="12" y=(place(y)) { (name) }
            text.mono x="76" y=(place(y)) { (line) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_up_the_factor() {
        for spec in ["classic:q8.8", "classic:q6.10:lut64", "classic:q10.6"] {
            let spec: WkvSpec = spec.parse().expect("a spec");
            let parts = Parts::of(&spec);
            let line = parts.entry - ((parts.fall * parts.low) >> parts.low_bits);
            assert_eq!(line, parts.fraction_factor, "{spec}");
            assert_eq!(line >> parts.whole, parts.factor, "{spec}");
        }
    }
}
