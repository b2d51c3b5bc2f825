//! A unit's netlist as a map: its hierarchy, its critical path, the values on its wires.
