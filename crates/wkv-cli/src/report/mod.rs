//! What `wkv report` finds out, and the page that shows it.

pub mod choice;
pub mod engine;
pub mod exp2;
pub mod model_run;
pub mod notation;
pub mod published;
pub mod sizes;
pub mod stories;
pub mod subject;
pub mod sweep;
