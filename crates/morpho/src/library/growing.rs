//! Shapes that circuits grow in: chain, tree, grid, triangle.
//!
//! Each shape places one cell, its node, many times. As they stand they count, give a parity, add
//! up set bits and sort; [substitute](Builder::substitute) the node and they do something else in
//! the same shape.
//!
//! ```
//! use morpho::{Builder, library::growing::{Tree, TreeNode, tree}, Bus, Fits, cell};
//!
//! /// Both of two wires.
//! #[cell]
//! fn both(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
//!     n.and(a, b)
//! }
//!
//! let all = Builder::build("all", |n| {
//!     let x = n.input("x", 24);
//!     let y = n.substitute::<TreeNode, Both, _>(|n| tree(n, &x))?;
//!     n.output("y", &y);
//!     Ok(())
//! })?;
//! assert_eq!((all.gates().count(), all.depth()), (23, 5));
//! # Ok::<(), morpho::Diagnostics>(())
//! ```

use super::adder::half_adder;
use crate::bus::cat;
use crate::{Builder, Bus, Fits, cell};

/// A chain of nodes: `x`: \[N\], `first`: \[1\] -> what the nodes make of each wire \[N\], what the last
/// one hands on \[1\]. N nodes, one after another.
///
/// With the node as it is: `x + first`, and the carry.
#[cell(fallback = chain_node)]
pub fn chain(n: &mut Builder, x: &Bus, first: &Bus) -> Fits<(Bus, Bus)> {
    let (low, high) = x.split()?;
    let (low, middle) = chain(n, &low, first)?;
    let (high, last) = chain(n, &high, &middle)?;
    Ok((cat([low, high]), last))
}

/// The node of a [`chain`]: `x`, `from`: \[1\] -> result \[1\], `to` the next node \[1\]. Half an adder.
#[cell]
pub fn chain_node(n: &mut Builder, x: &Bus, from: &Bus) -> Fits<(Bus, Bus)> {
    half_adder(n, x, from)
}

/// A balanced tree of nodes: `x`: \[N\] -> \[1\]. `N - 1` nodes, `log2(N)` rounded up of them deep.
///
/// With the node as it is: the parity of `x`.
#[cell(fallback = 0)]
pub fn tree(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    let (low, high) = x.split()?;
    let (low, high) = (tree(n, &low)?, tree(n, &high)?);
    tree_node(n, &low, &high)
}

/// The node of a [`tree`]: `a`, `b`: \[1\] -> \[1\]. Their exclusive or.
#[cell]
pub fn tree_node(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.xor(a, b)
}

/// A grid of nodes: `x`: \[N\], `y`: \[M\] -> x \[N\] and y \[M\] at the far sides. `N M` nodes: each
/// wire of `x` meets each wire of `y` once, both lowest first.
///
/// With the node as it is: `x` plus the number of set bits of `y` modulo `2^N`, and the carries.
#[cell(fallback = grid_column)]
pub fn grid(n: &mut Builder, x: &Bus, y: &Bus) -> Fits<(Bus, Bus)> {
    let (x0, x1) = x.split()?;
    let (x0, y) = grid(n, &x0, y)?;
    let (x1, y) = grid(n, &x1, &y)?;
    Ok((cat([x0, x1]), y))
}

/// A [`grid`] for one wire `x`: \[1\].
#[cell(fallback = grid_node)]
pub fn grid_column(n: &mut Builder, x: &Bus, y: &Bus) -> Fits<(Bus, Bus)> {
    let (y0, y1) = y.split()?;
    let (x, y0) = grid_column(n, x, &y0)?;
    let (x, y1) = grid_column(n, &x, &y1)?;
    Ok((x, cat([y0, y1])))
}

/// The node of a [`grid`]: `x`, `y`: \[1\] -> x, y: \[1\]. Half an adder.
#[cell]
pub fn grid_node(n: &mut Builder, x: &Bus, y: &Bus) -> Fits<(Bus, Bus)> {
    half_adder(n, x, y)
}

/// A node of a [`grid`] that lets both wires pass: `x`, `y`: \[1\] -> x, y: \[1\].
#[cell]
pub fn grid_skip(_n: &mut Builder, x: &Bus, y: &Bus) -> Fits<(Bus, Bus)> {
    Ok((x.clone(), y.clone()))
}

/// A triangle of nodes: `x`: \[N\] -> \[N\]. `N (N - 1) / 2` nodes: each wire meets each other once.
///
/// With the node as it is: the set bits of `x`, gathered at the high end.
#[cell(fallback = 0)]
pub fn triangle(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    let (low, high) = x.split()?;
    let (low, high) = n.substitute::<GridNode, TriangleNode, _>(|n| grid(n, &low, &high))?;
    Ok(cat([triangle(n, &low)?, triangle(n, &high)?]))
}

/// The node of a [`triangle`]: `a`, `b`: \[1\] -> the smaller \[1\], the larger \[1\].
#[cell]
pub fn triangle_node(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.and(a, b)?, n.or(a, b)?))
}
