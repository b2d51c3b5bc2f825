//! scratch
use std::ops::ControlFlow;
use wkv::{circuit::Unit, verify::*};
fn main() {
    let t = std::time::Instant::now();
    for unit in Unit::ALL {
        println!("{:?}", verify(&"classic:q8.8".parse().unwrap(), unit, Effort::Exhaustive, &|_, _| ControlFlow::Continue(())));
    }
    println!("{:?}", t.elapsed());
}
