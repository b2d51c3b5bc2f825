//! What a cell is: recursion, fallback, substitution, recorded hierarchy.
//!
//! A cell is a Rust function marked with [`#[cell]`](macro@crate::cell). Its body grows gates and
//! calls other cells; `?` on a bus operation that does not fit ends the body. Then everything the
//! body built is taken back and the cell's fallback runs on the same arguments: another cell
//! (`fallback = full_adder`), or one of its own bus arguments passed through (`fallback = 0`).
//! A cell without a fallback hands the misfit on to its caller.
//!
//! The attribute also defines a type named after the function in camel case, `RippleAdder` for
//! `ripple_adder`, which stands for the cell in [`Builder::substitute`].

use std::any::TypeId;

use crate::builder::{Builder, Checkpoint};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hierarchy::Instance;

/// Why a cell built nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// A bus was too narrow for an operation. The nearest cell with a fallback takes it.
    DoesNotFit {
        /// The operation that did not fit.
        operation: &'static str,
        /// The width of the bus it was given.
        width: usize,
    },
    /// The call is wrong, not just narrow: no fallback applies and the whole circuit is refused.
    Refused(Box<Diagnostic>),
}

/// What a cell gives back: its output buses, or why it does not fit.
pub type Fits<T> = Result<T, Misfit>;

impl From<Diagnostic> for Misfit {
    fn from(diagnostic: Diagnostic) -> Misfit {
        Misfit::Refused(Box::new(diagnostic))
    }
}

impl From<Misfit> for Diagnostics {
    fn from(misfit: Misfit) -> Diagnostics {
        match misfit {
            Misfit::DoesNotFit { operation, width } => {
                Diagnostic::new(format!("`{operation}` does not fit a bus of width {width}"))
                    .hint("no cell around it has a fallback; give one or use a wider bus")
                    .into()
            }
            Misfit::Refused(diagnostic) => (*diagnostic).into(),
        }
    }
}

/// A cell as a type, made by [`#[cell]`](macro@crate::cell); used to name cells in substitutions.
pub trait Cell: 'static {
    /// The signature of the cell's function.
    type Function: Copy + 'static;
    /// The name of the cell's function.
    const NAME: &'static str;
    /// The cell's function.
    const FUNCTION: Self::Function;
}

/// One substitution in force: instances of `cell` become `replacement`, or stay what they are.
pub(crate) struct Substitution {
    cell: TypeId,
    replacement: Option<Box<dyn std::any::Any>>,
}

/// Support for the code that [`#[cell]`](macro@crate::cell) writes, and substitution.
impl Builder {
    /// Makes every instance of cell `From` that `grow` builds an instance of `To` instead.
    ///
    /// The innermost substitution of a cell wins. Inside `To` itself, `From` keeps its own
    /// meaning, so a replacement may use what it replaces.
    pub fn substitute<From, To, T>(&mut self, grow: impl FnOnce(&mut Builder) -> T) -> T
    where
        From: Cell,
        To: Cell<Function = From::Function>,
    {
        let replacement: Box<dyn std::any::Any> = Box::new(To::FUNCTION);
        self.with_substitution::<From, T>(Some(replacement), grow)
    }

    /// The function that stands in for cell `C` here, if one does.
    #[doc(hidden)]
    pub fn replacement<C: Cell>(&self) -> Option<C::Function> {
        let innermost = self.substitutions.iter().rev().find(|s| s.cell == TypeId::of::<C>())?;
        let function = innermost.replacement.as_ref()?;
        Some(*function.downcast_ref::<C::Function>().expect("`substitute` checked the signature"))
    }

    /// Runs the replacement of cell `C`, inside which `C` has its own meaning.
    #[doc(hidden)]
    pub fn replaced<C: Cell, T>(&mut self, grow: impl FnOnce(&mut Builder) -> T) -> T {
        self.with_substitution::<C, T>(None, grow)
    }

    /// Runs the body of a cell as a recorded instance; takes it back if it does not fit.
    #[doc(hidden)]
    pub fn instantiate<T>(
        &mut self,
        name: &'static str,
        widths: impl IntoIterator<Item = usize>,
        body: impl FnOnce(&mut Builder) -> Fits<T>,
    ) -> Fits<T> {
        let before = self.checkpoint();
        let parent = self.instance;
        self.instance = self.hierarchy.add(name, widths, parent);
        match body(self) {
            Ok(result) => {
                self.instance = parent;
                Ok(result)
            }
            Err(misfit) => Err(self.leave(misfit, parent, before)),
        }
    }

    /// Takes back an instance whose body did not fit, and tells where that was.
    // Apart, because every cell has a copy of its caller.
    #[inline(never)]
    fn leave(&mut self, misfit: Misfit, parent: Instance, before: Checkpoint) -> Misfit {
        let misfit = self.place(misfit);
        self.instance = parent;
        self.rollback(before);
        misfit
    }

    /// Names the place of a refusal: the innermost instance, the first one to see it.
    fn place(&self, misfit: Misfit) -> Misfit {
        match misfit {
            Misfit::Refused(diagnostic) => diagnostic.at(self.hierarchy.path(self.instance)).into(),
            narrow => narrow,
        }
    }

    fn with_substitution<C: Cell, T>(
        &mut self,
        replacement: Option<Box<dyn std::any::Any>>,
        grow: impl FnOnce(&mut Builder) -> T,
    ) -> T {
        self.substitutions.push(Substitution { cell: TypeId::of::<C>(), replacement });
        let result = grow(self);
        self.substitutions.pop();
        result
    }

    /// The cell instance that is being built.
    pub fn instance(&self) -> Instance {
        self.instance
    }
}
