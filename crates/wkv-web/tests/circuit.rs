//! Units as the page draws and runs them.

use wkv::WkvSpec;
use wkv::circuit::{Style, Unit, build_in, inventory};
use wkv::fixed::{Model, State};
use wkv_web::circuit::{Stimuli, fraction_bits, unit_inventory, unit_names, unit_schematic};
use wkv_web::schematic::BusKind;

fn held(names: &[&str], numbers: &[i32]) -> (Vec<String>, Vec<i32>) {
    (names.iter().map(|name| (*name).to_string()).collect(), numbers.to_vec())
}

#[test]
fn every_unit_is_the_one_that_the_command_line_builds() {
    for spec in ["classic:q8.8", "classic:q6.10:lut64:div=newton"] {
        for unit in Unit::ALL {
            let schematic = unit_schematic(spec, &unit.to_string(), "gates").expect("it is built");
            let netlist = build_in(Style::Gates, &spec.parse().expect("a spec"), unit);
            let netlist = netlist.expect("it is built");
            assert_eq!(schematic.gates(), netlist.gates().count(), "{unit}");
            assert_eq!(schematic.depth(), netlist.depth(), "{unit}");
            assert_eq!(schematic.registers(), netlist.register_bits().count(), "{unit}");
        }
    }
}

#[test]
fn the_lines_of_every_inventory_share_out_the_path() {
    for unit in ["exp2", "divider", "reciprocal", "serial=2", "compare"] {
        let schematic = unit_schematic("classic:q8.8", unit, "gates").expect("it is built");
        let lines = unit_inventory(&schematic);
        assert_eq!(lines.iter().map(|line| line.gates).sum::<usize>(), schematic.gates());
        let on_path: usize = lines.iter().map(|line| line.on_path).sum();
        assert_eq!(on_path, schematic.depth(), "{unit}");
    }
}

#[test]
fn the_inventory_is_that_of_the_command_line_and_adds_up_along_the_path() {
    let schematic = unit_schematic("classic:q8.8", "cell", "gates").expect("it is built");
    let netlist = build_in(Style::Gates, &"classic:q8.8".parse().expect("a spec"), Unit::Cell);
    let lines = unit_inventory(&schematic);
    let expected = inventory(&netlist.expect("it is built"));
    let pairs: Vec<_> = lines.iter().map(|line| (line.unit.as_str(), line.gates)).collect();
    let expected: Vec<_> = expected.iter().map(|line| (line.unit, line.gates)).collect();
    assert_eq!(pairs, expected);
    let on_path: usize = lines.iter().map(|line| line.on_path).sum();
    assert_eq!(on_path, schematic.depth());
    assert!(lines.iter().all(|line| line.depth as usize <= schematic.depth() && line.depth > 0));
}

/// The registers and the buses between units, in every step, against the model's own intermediate
/// results.
#[test]
fn buses_inside_the_cell_carry_what_the_model_computes() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let mut schematic = unit_schematic("classic:q8.8", "cell", "gates").expect("it is built");
    let (u, w) = (100, -150);
    let (names, numbers) = held(&["u", "w"], &[u, w]);
    let mut stimuli = Stimuli::new("classic:q8.8", "cell", "gates", "wandering", 7, names, numbers)
        .expect("they fit");
    stimuli.run(&mut schematic, 199).expect("it runs");
    assert_eq!((stimuli.claimed(), stimuli.agreed()), (200, 200));
    let model = Model::new(&spec);
    let mut state = State::start(&spec);
    for step in 0..200 {
        let get = |kind, name| schematic.number_of(kind, name, step);
        let [k, v] = ["k", "v"].map(|name| get(BusKind::Input, name).expect("an input") as i32);
        let registers = ["aa", "bb", "pp"].map(|name| get(BusKind::Register, name));
        let expected = [state.aa, state.bb, state.pp].map(|raw| Some(i64::from(raw)));
        for (given, expected) in std::iter::zip(registers, expected) {
            assert!(given.is_none() || given == expected, "step {step}");
        }
        let sum = spec.format.saturate(u + k);
        let decayed = spec.format.saturate(state.pp + w);
        let inside = [
            ("ww", sum),
            ("ww2", decayed),
            ("p", sum.max(state.pp)),
            ("p2", decayed.max(k)),
            ("e", model.exp2neg((state.pp - sum).abs())),
            ("f", model.exp2neg((decayed - k).abs())),
        ];
        for (name, expected) in inside {
            let given = get(BusKind::Signal, name);
            assert!(given.is_none_or(|given| given == i64::from(expected)), "{name} in {step}");
        }
        let after = model.step(state, k, v, u, w);
        assert_eq!(get(BusKind::Output, "out"), Some(i64::from(after.out)), "step {step}");
        state = after.next;
    }
    let read = |name: &&str| schematic.number_of(BusKind::Signal, name, 0).is_some();
    let readable: Vec<&str> =
        ["ww", "ww2", "p", "p2", "e", "f", "num", "den"].into_iter().filter(read).collect();
    println!("whole after optimisation: {readable:?}");
    assert!(readable.contains(&"e") && readable.contains(&"f") && readable.contains(&"num"));
}

#[test]
fn units_agree_with_the_model_on_drawn_inputs() {
    for unit in ["saturating-add", "compare", "exp2", "multiplier", "divider", "reciprocal", "step"]
    {
        for style in ["gates", "carry"] {
            let mut schematic = unit_schematic("classic:q6.10", unit, style).expect("it is built");
            let (names, numbers) = held(&["u", "w"], &[300, -20]);
            let mut stimuli =
                Stimuli::new("classic:q6.10", unit, style, "independent", 3, names, numbers)
                    .expect("they fit");
            stimuli.run(&mut schematic, 59).expect("it runs");
            assert_eq!(stimuli.claimed(), 60, "{unit} {style}");
            assert_eq!(stimuli.agreed(), 60, "{unit} {style}");
        }
    }
}

#[test]
fn held_inputs_stay() {
    let mut schematic = unit_schematic("classic:q8.8", "multiplier", "gates").expect("it is built");
    let (names, numbers) = held(&["a", "e"], &[-1000, 32768]);
    let mut stimuli =
        Stimuli::new("classic:q8.8", "multiplier", "gates", "held", 0, names, numbers)
            .expect("they fit");
    stimuli.run(&mut schematic, 2).expect("it runs");
    for step in 0..3 {
        assert_eq!(schematic.number_of(BusKind::Output, "y", step), Some(-500));
    }
    assert_eq!((stimuli.claimed(), stimuli.agreed()), (3, 3));
}

#[test]
fn a_serial_cell_is_loaded_and_gives_outputs() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let mut schematic = unit_schematic("classic:q8.8", "serial=2", "gates").expect("it is built");
    let (names, numbers) = held(&["u", "w"], &[100, -150]);
    let mut stimuli =
        Stimuli::new("classic:q8.8", "serial=2", "gates", "wandering", 7, names, numbers)
            .expect("they fit");
    stimuli.run(&mut schematic, 1000).expect("it runs");
    let get = |kind, name, step| schematic.number_of(kind, name, step).expect("it is there");
    let (mut tokens, mut outputs) = (Vec::new(), Vec::new());
    for step in 0..=1000 {
        if get(BusKind::Output, "ready", step) == 1 && get(BusKind::Input, "load", step) == 0 {
            tokens.push([get(BusKind::Input, "k", step), get(BusKind::Input, "v", step)]);
        }
        if get(BusKind::Output, "out_valid", step) == 1 {
            outputs.push(get(BusKind::Output, "out", step));
        }
    }
    let model = Model::new(&spec);
    let mut state = State::start(&spec);
    let mut expected = Vec::new();
    for pair in tokens.chunks(2) {
        let step = model.step(state, pair[0][0] as i32, pair[0][1] as i32, 100, -150);
        state = step.next;
        expected.extend([i64::from(step.out); 2]);
    }
    assert!(outputs.len() >= 4, "{} outputs", outputs.len());
    assert_eq!(outputs, expected[..outputs.len()]);
}

#[test]
fn nonsense_is_told_in_words() {
    let refused = |spec, unit, style| unit_schematic(spec, unit, style).err().unwrap_or_default();
    assert!(refused("q9", "cell", "gates").contains("unknown numerics"));
    assert!(refused("classic:q8.8", "engine", "gates").contains("unknown unit"));
    assert!(refused("classic:q8.8", "cell", "steam").contains("unknown style"));
    assert!(refused("classic:q8.8", "bank=4000", "gates").contains("too many to draw"));
    let course = Stimuli::new("classic:q8.8", "cell", "gates", "flood", 1, vec![], vec![]);
    assert!(course.is_err_and(|error| error.contains("flood")));
    assert_eq!(fraction_bits("classic:q6.10"), Ok(10));
    assert!(unit_names().contains(&"serial=2".to_string()));
}

#[test]
fn steps_beyond_those_kept_are_refused() {
    let mut schematic = unit_schematic("classic:q8.8", "compare", "gates").expect("it is built");
    let mut stimuli = Stimuli::new("classic:q8.8", "compare", "gates", "held", 0, vec![], vec![])
        .expect("they fit");
    assert!(stimuli.run(&mut schematic, 1024).is_err());
    assert!(schematic.values(0).is_empty());
}
