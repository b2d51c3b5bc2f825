//! Circuits generated from a [`WkvSpec`](crate::WkvSpec).
