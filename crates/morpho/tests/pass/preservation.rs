//! Random circuits before and after each pass.

use morpho::Lut;
use morpho::pass::{optimise, registry};
use proptest::prelude::*;

use crate::common::recipe::{Loops, recipes};
use crate::common::soundness::{assert_same_behaviour, assert_well_formed, settled_gates};

proptest! {
    #[test]
    fn each_pass_keeps_what_a_circuit_computes(recipe in recipes(Loops::Latches)) {
        let netlist = recipe.build();
        for pass in registry() {
            let mut result = netlist.clone();
            pass.run(&mut result);
            assert_well_formed(&result);
            assert_same_behaviour(&netlist, &result, pass.name());
        }
    }

    #[test]
    fn all_passes_keep_what_a_circuit_computes(recipe in recipes(Loops::Latches)) {
        let netlist = recipe.build();
        let mut result = netlist.clone();
        optimise(&mut result);
        assert_well_formed(&result);
        assert_same_behaviour(&netlist, &result, "optimise");
        prop_assert!(result.gates().count() <= netlist.gates().count());

        let mut again = result.clone();
        optimise(&mut again);
        prop_assert_eq!(again.nodes(), result.nodes(), "nothing is left to do");
        let mut other = netlist.clone();
        optimise(&mut other);
        prop_assert_eq!(other.nodes(), result.nodes(), "the result is the same each time");
    }

    #[test]
    fn no_gate_is_left_that_a_rule_would_remove(recipe in recipes(Loops::Latches)) {
        let mut result = recipe.build();
        optimise(&mut result);
        for (_, gate) in settled_gates(&result) {
            let mut inputs = gate.inputs().to_vec();
            prop_assert!(inputs.iter().all(|input| input.as_constant().is_none()));
            prop_assert!((0..inputs.len()).all(|input| gate.lut().depends_on(input)));
            prop_assert!(gate.lut().constant().is_none() && gate.lut() != Lut::BUFFER);
            inputs.sort();
            inputs.dedup();
            prop_assert_eq!(inputs.len(), gate.inputs().len());
        }
    }
}
