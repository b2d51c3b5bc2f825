//! One channel, step by step: in double precision, by the integer model, by the gates.
