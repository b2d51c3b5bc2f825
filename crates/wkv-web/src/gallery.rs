//! Small circuits of the library, built and run.
