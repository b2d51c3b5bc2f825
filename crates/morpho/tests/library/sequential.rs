use morpho::library::sequential::{
    counter, delay_line, elementary_automaton, johnson_counter, lfsr, pulse_stretcher,
    serial_adder, sr_latch,
};
use morpho::{Builder, Bus};

use crate::common::{Random, Values, check_clocked, circuit, clocked, mask, optimised};

/// `steps` steps of one input wire, random on 40 lanes; `chance` in 16 that it is set.
fn random_wire(steps: usize, chance: usize, seed: u64) -> Vec<Values> {
    let mut random = Random::new(seed);
    let mut wire = || (0..40).map(|_| u128::from(random.below(16) < chance)).collect();
    (0..steps).map(|_| vec![wire()]).collect()
}

/// The outputs of a circuit without inputs in each of `steps` steps, raw and optimised alike.
fn free_running(netlist: &morpho::Netlist, steps: usize) -> Vec<u128> {
    let nothing = vec![vec![]; steps];
    let [raw, small] = [netlist, &optimised(netlist)].map(|netlist| {
        let outputs = clocked(netlist, &nothing).expect("no loops");
        outputs.iter().map(|step| step[0][0]).collect::<Vec<u128>>()
    });
    assert_eq!(raw, small);
    raw
}

#[test]
fn serial_adder_adds_low_bit_first() {
    const STEPS: usize = 65;
    let circuit = circuit(&[1, 1], |n, i| Ok(vec![serial_adder(n, &i[0], &i[1])?]));
    let mut random = Random::new(5);
    let pairs: Vec<(u128, u128)> =
        (0..100).map(|_| (random.number(64), random.number(64))).collect();
    let bit = |number: u128, step: usize| number >> step & 1;
    let steps: Vec<Values> = (0..STEPS)
        .map(|s| {
            let (a, b) = pairs.iter().map(|&(a, b)| (bit(a, s), bit(b, s))).unzip();
            vec![a, b]
        })
        .collect();
    let expected: Vec<Values> = (0..STEPS)
        .map(|step| vec![pairs.iter().map(|&(a, b)| bit(a + b, step)).collect()])
        .collect();
    check_clocked(&circuit, &steps, &expected);
    assert_eq!((circuit.gates().count(), circuit.register_bits().count()), (2, 1));
}

#[test]
fn counter_counts_enabled_clocks() {
    for width in 1..=64 {
        let circuit = circuit(&[1], |n, i| Ok(vec![counter(n, &i[0], width)?]));
        let steps = random_wire(50, 12, width as u64);
        let mut counts = vec![0u128; 40];
        let mut expected = Vec::new();
        for step in &steps {
            expected.push(vec![counts.clone()]);
            for (count, enable) in std::iter::zip(&mut counts, &step[0]) {
                *count = (*count + enable) & mask(width);
            }
        }
        check_clocked(&circuit, &steps, &expected);
    }
}

#[test]
fn counter_wraps() {
    let circuit = circuit(&[], |n, _| Ok(vec![counter(n, &Bus::one(), 5)?]));
    let counts: Vec<u128> = (0..70).map(|count| count % 32).collect();
    assert_eq!(free_running(&circuit, 70), counts);
}

#[test]
fn delay_line_delays() {
    for (width, length) in [(1, 0), (1, 1), (3, 2), (8, 7), (64, 3), (17, 20)] {
        let circuit = circuit(&[width], |n, i| Ok(vec![delay_line(n, &i[0], length)?]));
        let mut random = Random::new(length as u64);
        let steps: Vec<Values> =
            (0..30).map(|_| vec![(0..40).map(|_| random.number(width)).collect()]).collect();
        let past = |step: usize| step.checked_sub(length).map(|past| steps[past].clone());
        let expected: Vec<Values> =
            (0..30).map(|step| past(step).unwrap_or(vec![vec![0; 40]])).collect();
        check_clocked(&circuit, &steps, &expected);
        assert_eq!(optimised(&circuit).register_bits().count(), width * length);
    }
}

#[test]
fn johnson_counter_fills_and_empties() {
    for width in 1..=64 {
        let circuit = circuit(&[], |n, _| Ok(vec![johnson_counter(n, width)?]));
        let expected: Vec<u128> = (0..4 * width)
            .map(|step| match step % (2 * width) {
                filling if filling <= width => mask(filling),
                emptying => mask(width) & !mask(emptying - width),
            })
            .collect();
        assert_eq!(free_running(&circuit, 4 * width), expected, "width {width}");
    }
}

#[test]
fn lfsr_feeds_back_the_parity_of_its_taps() {
    for width in 1..=64 {
        let mut random = Random::new(width as u64);
        let (seed, taps) = (random.next() & mask(width) as u64, random.next());
        let circuit = circuit(&[], |n, _| Ok(vec![lfsr(n, &Bus::constant(seed, width), taps)?]));
        let mut state = u128::from(seed);
        let mut expected = Vec::new();
        for _ in 0..150 {
            expected.push(state);
            let parity = (state & u128::from(taps) & mask(width)).count_ones() & 1;
            state = (state << 1 | u128::from(parity)) & mask(width);
        }
        assert_eq!(free_running(&circuit, 150), expected, "width {width}");
    }
}

#[test]
fn the_documented_taps_have_the_longest_period() {
    let taps = 1 << 15 | 1 << 14 | 1 << 12 | 1 << 3;
    let circuit = circuit(&[], |n, _| Ok(vec![lfsr(n, &Bus::constant(1, 16), taps)?]));
    let states = free_running(&circuit, 65_536);
    assert_eq!(states[65_535], states[0]);
    let mut distinct = states[..65_535].to_vec();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 65_535);
}

#[test]
fn pulses_are_stretched() {
    for length in [0, 1, 2, 3, 7, 8, 10, 63, 64] {
        let circuit = circuit(&[1], |n, i| Ok(vec![pulse_stretcher(n, &i[0], length)?]));
        let steps = random_wire(200, 1, length);
        let set = |step: usize, lane: usize| {
            let first = step.saturating_sub(length as usize);
            (first..=step).any(|step| steps[step][0][lane] == 1)
        };
        let expected: Vec<Values> = (0..200)
            .map(|step| vec![(0..40).map(|lane| u128::from(set(step, lane))).collect()])
            .collect();
        check_clocked(&circuit, &steps, &expected);
    }
}

#[test]
fn elementary_automata_follow_their_rules() {
    for (width, rule) in
        (1..=64).zip([30, 110, 90, 184, 45, 0, 255, 1, 254, 54].into_iter().cycle())
    {
        let seed = Random::new(width as u64).next() & mask(width) as u64;
        let start = Bus::constant(seed, width);
        let circuit = circuit(&[], |n, _| Ok(vec![elementary_automaton(n, &start, rule)?]));
        let mut cells: Vec<bool> = (0..width).map(|cell| seed >> cell & 1 == 1).collect();
        let mut expected = Vec::new();
        for _ in 0..80 {
            let bits = cells.iter().enumerate().map(|(cell, &alive)| u128::from(alive) << cell);
            expected.push(bits.sum());
            let next = |cell: usize| {
                let left = cells[(cell + 1) % width];
                let right = cells[(cell + width - 1) % width];
                let row = (left as u8) << 2 | (cells[cell] as u8) << 1 | right as u8;
                rule >> row & 1 == 1
            };
            cells = (0..width).map(next).collect();
        }
        assert_eq!(free_running(&circuit, 80), expected, "width {width}, rule {rule}");
    }
}

#[test]
fn latch_keeps_its_bit() {
    let circuit = circuit(&[1, 1], |n, i| {
        n.allow_loops();
        let (stored, complement) = sr_latch(n, &i[0], &i[1])?;
        Ok(vec![stored, complement])
    });
    assert_eq!(circuit.loops().len(), 1);
    // Each lane starts with a reset and then lives its own life; set and reset never fall together.
    let mut random = Random::new(9);
    let (mut steps, mut expected) = (Vec::new(), Vec::new());
    let mut stored = [0u128; 40];
    for step in 0..60 {
        let choice: Vec<usize> =
            (0..40).map(|_| if step == 0 { 1 } else { random.below(4) }).collect();
        let set: Vec<u128> = choice.iter().map(|&c| u128::from(c == 0)).collect();
        let reset: Vec<u128> = choice.iter().map(|&c| u128::from(c == 1)).collect();
        for lane in 0..40 {
            stored[lane] = (stored[lane] | set[lane]) & !reset[lane];
        }
        steps.push(vec![set, reset]);
        expected.push(vec![stored.to_vec(), stored.iter().map(|bit| 1 - bit).collect()]);
    }
    check_clocked(&circuit, &steps, &expected);
}

#[test]
fn both_inputs_of_a_latch_clear_both_outputs() {
    let circuit = circuit(&[1, 1], |n, i| {
        n.allow_loops();
        let (stored, complement) = sr_latch(n, &i[0], &i[1])?;
        Ok(vec![stored, complement])
    });
    check_clocked(&circuit, &[vec![vec![1], vec![1]]], &[vec![vec![0], vec![0]]]);
}

#[test]
fn a_latch_is_refused_unless_loops_are_allowed() {
    let built = Builder::build("latch", |n| {
        let (set, reset) = (n.input("set", 1), n.input("reset", 1));
        let (stored, _) = sr_latch(n, &set, &reset)?;
        n.output("stored", &stored);
        Ok(())
    });
    assert_eq!(
        built.expect_err("it is refused").to_string(),
        "a cycle of 2 gates crosses no register: `crossed[0]`, a gate of sr_latch:1,1\n  \
         hint: put a register on the cycle, or allow asynchronous loops"
    );
}
