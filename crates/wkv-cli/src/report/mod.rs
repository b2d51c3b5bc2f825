//! The pages that `wkv report` writes.
