//! A graph of look-up tables in which equal structure is stored once.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::lut::Lut;

/// A node of a [`Logic`] graph, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Literal(u32);

impl Literal {
    /// The literal that is always 0.
    pub const FALSE: Literal = Literal(0);

    pub const fn constant(value: bool) -> Literal {
        Literal(value as u32)
    }

    pub fn of_node(node: usize) -> Literal {
        Literal(u32::try_from(node << 1).expect("a graph has fewer than 2^31 nodes"))
    }

    pub const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub const fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal, or its complement if `complement` is set.
    pub const fn xor(self, complement: bool) -> Literal {
        Literal(self.0 ^ complement as u32)
    }
}

/// A look-up table of nodes. In normal form: the nodes are in ascending order, all of them matter,
/// none is the constant, there are at least two, and row 0 of the table is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub lut: Lut,
    pub inputs: SmallVec<[u32; Lut::MAX_ARITY]>,
}

/// Nodes in topological order: the constant 0, free nodes, and functions of earlier nodes.
pub(super) struct Logic {
    nodes: Vec<Option<Function>>,
    literal_of: FxHashMap<Function, Literal>,
}

/// What a gate comes to in a graph.
pub(super) enum Entry {
    /// A literal that was there.
    Known(Literal),
    /// A node that was added; the flag says that the gate is its complement.
    New(usize, bool),
}

impl Logic {
    pub fn new() -> Logic {
        Logic { nodes: vec![None], literal_of: FxHashMap::default() }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The function of a node; none for the constant and free nodes.
    pub fn function(&self, node: usize) -> Option<&Function> {
        self.nodes[node].as_ref()
    }

    /// Adds a node that any value may be given to.
    pub fn free(&mut self) -> usize {
        self.nodes.push(None);
        self.nodes.len() - 1
    }

    /// Adds `lut` of `inputs`, unless it simplifies to something that is there.
    pub fn gate(&mut self, lut: Lut, inputs: &[Literal]) -> Entry {
        let (function, complemented) = match normal_form(lut, inputs) {
            Ok(normal) => normal,
            Err(literal) => return Entry::Known(literal),
        };
        if let Some(literal) = self.literal_of.get(&function) {
            return Entry::Known(literal.xor(complemented));
        }
        let node = self.nodes.len();
        self.literal_of.insert(function.clone(), Literal::of_node(node));
        self.nodes.push(Some(function));
        Entry::New(node, complemented)
    }

    /// From now on, gates with the function of `node` come to `literal`.
    pub fn replace(&mut self, node: usize, literal: Literal) {
        let function = self.nodes[node].clone().expect("only functions are replaced");
        self.literal_of.insert(function, literal);
    }
}

/// The function in normal form and whether it is complemented, or the literal that it is.
fn normal_form(mut lut: Lut, literals: &[Literal]) -> Result<(Function, bool), Literal> {
    let mut inputs = SmallVec::<[u32; Lut::MAX_ARITY]>::new();
    for (index, literal) in literals.iter().enumerate() {
        if literal.is_complement() {
            lut = lut.complement_input(index);
        }
        inputs.push(literal.node() as u32);
    }
    let mut index = 0;
    while index < inputs.len() {
        let twin = inputs[..index].iter().position(|&earlier| earlier == inputs[index]);
        lut = match twin {
            Some(twin) => lut.identify(twin, index),
            None if inputs[index] == 0 => lut.cofactor(index, false),
            None => {
                index += 1;
                continue;
            }
        };
        inputs.remove(index);
    }
    for index in (0..inputs.len()).rev() {
        if !lut.depends_on(index) {
            lut = lut.cofactor(index, false);
            inputs.remove(index);
        }
    }
    for sorted in 1..inputs.len() {
        for at in (1..=sorted).rev() {
            if inputs[at - 1] > inputs[at] {
                inputs.swap(at - 1, at);
                lut = lut.swap(at - 1, at);
            }
        }
    }
    let complemented = lut.row(0);
    match inputs[..] {
        [] => Err(Literal::constant(complemented)),
        [node] => Err(Literal::of_node(node as usize).xor(complemented)),
        _ if complemented => Ok((Function { lut: lut.complement(), inputs }, true)),
        _ => Ok((Function { lut, inputs }, false)),
    }
}
