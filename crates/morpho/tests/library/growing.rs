use morpho::library::growing::{
    ChainNode, GridNode, GridSkip, TreeNode, TriangleNode, chain, grid, tree, triangle,
};
use morpho::{Builder, Bus, Fits, cell};

use crate::common::{check, circuit, mask};

#[test]
fn chain_adds_a_bit() {
    for width in 1..=64 {
        let circuit = circuit(&[width, 1], |n, i| {
            let (x, last) = chain(n, &i[0], &i[1])?;
            Ok(vec![x, last])
        });
        check(&circuit, |i| vec![(i[0] + i[1]) & mask(width), (i[0] + i[1]) >> width]);
    }
}

#[test]
fn tree_gives_the_parity() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| Ok(vec![tree(n, &i[0])?]));
        check(&circuit, |i| vec![u128::from(i[0].count_ones() & 1)]);
        assert_eq!(circuit.depth(), width.next_power_of_two().ilog2() as usize);
    }
}

#[test]
fn grid_adds_the_number_of_set_bits() {
    for (x, y) in (1..=64).zip((1..=64).rev()) {
        let circuit = circuit(&[x, y], |n, i| Ok(vec![grid(n, &i[0], &i[1])?.0]));
        check(&circuit, |i| vec![(i[0] + u128::from(i[1].count_ones())) & mask(x)]);
    }
}

#[test]
fn a_grid_of_skips_passes() {
    let circuit = circuit(&[7, 9], |n, i| {
        let (x, y) = n.substitute::<GridNode, GridSkip, _>(|n| grid(n, &i[0], &i[1]))?;
        Ok(vec![x, y])
    });
    check(&circuit, |i| vec![i[0], i[1]]);
    assert_eq!(circuit.gates().count(), 0);
}

#[test]
fn triangle_sorts() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| Ok(vec![triangle(n, &i[0])?]));
        check(&circuit, |i| {
            let ones = i[0].count_ones() as usize;
            vec![mask(width) & !mask(width - ones)]
        });
        assert_eq!(circuit.gates().count(), width * (width - 1));
    }
}

/// The running or of a chain.
#[cell]
fn running_or(n: &mut Builder, x: &Bus, from: &Bus) -> Fits<(Bus, Bus)> {
    let or = n.or(x, from)?;
    Ok((or.clone(), or))
}

#[test]
fn a_chain_of_other_nodes() {
    let circuit = circuit(&[20], |n, i| {
        let marked = n.substitute::<ChainNode, RunningOr, _>(|n| chain(n, &i[0], &Bus::zero()))?;
        Ok(vec![marked.0])
    });
    check(&circuit, |i| vec![mask(20) & !mask(i[0].trailing_zeros().min(20) as usize)]);
}

/// The other order.
#[cell]
fn descending(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.or(a, b)?, n.and(a, b)?))
}

#[test]
fn a_triangle_that_sorts_downwards() {
    let circuit = circuit(&[11], |n, i| {
        let sorted = n.substitute::<TriangleNode, Descending, _>(|n| triangle(n, &i[0]))?;
        Ok(vec![sorted])
    });
    check(&circuit, |i| vec![mask(i[0].count_ones() as usize)]);
}

/// Both wires.
#[cell]
fn both(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.and(a, b)
}

#[test]
fn a_tree_of_other_nodes() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| {
            Ok(vec![n.substitute::<TreeNode, Both, _>(|n| tree(n, &i[0]))?])
        });
        check(&circuit, |i| vec![u128::from(i[0] == mask(width))]);
    }
}
