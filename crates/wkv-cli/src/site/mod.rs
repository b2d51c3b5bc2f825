//! The web site.

pub mod story;
