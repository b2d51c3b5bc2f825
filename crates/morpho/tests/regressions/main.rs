//! What fuzzing found, one file a finding.

mod loop_against_its_gates;
mod loop_inputs_overwritten;
mod read_files;
mod unused_lanes_oscillate;
