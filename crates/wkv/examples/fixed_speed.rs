//! Measures the integer model on one core, in channel-steps a second.
//!
//! `cargo run --release -p wkv --example fixed_speed -- [SPEC] [CHANNELS]`

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use wkv::fixed::Bank;
use wkv::{Recurrence, WkvSpec};

const TOKENS: usize = 64;
const TIME: Duration = Duration::from_secs(2);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or("classic:q8.8".to_owned());
    let spec = WkvSpec::resolve(&spec)?;
    let channels = arguments.next().map_or(Ok(2048), |text| text.parse())?;

    let waves = |scale: f64, speed: f64, count: usize| -> Vec<f64> {
        (0..count).map(|i| scale * (i as f64 * speed).sin()).collect()
    };
    let u = waves(1.0, 0.3, channels);
    let w: Vec<f64> = waves(3.0, 0.7, channels).iter().map(|x| -x.exp2()).collect();
    let k = waves(4.0, 1.7, TOKENS * channels);
    let v = waves(2.0, 2.3, TOKENS * channels);

    let mut bank = Bank::new(&spec, &u, &w);
    let narrow = |reals: &[f64]| reals.iter().map(|&x| x as f32).collect::<Vec<_>>();
    let (k_real, v_real) = (narrow(&k), narrow(&v));
    let mut out_real = vec![0.0; k.len()];
    report(&spec, "real", k.len(), || {
        bank.run(black_box(&k_real), &v_real, &mut out_real);
        black_box(&out_real);
    });

    let quantise =
        |reals: &[f64]| -> Vec<i32> { reals.iter().map(|&x| spec.format.quantise(x).0).collect() };
    let (k_raw, v_raw) = (quantise(&k), quantise(&v));
    let mut out_raw = vec![0; k.len()];
    report(&spec, "raw", k.len(), || {
        bank.run_raw(black_box(&k_raw), &v_raw, &mut out_raw).expect("quantised inputs fit");
        black_box(&out_raw);
    });
    Ok(())
}

/// Repeats `run` for a while and prints its rate.
fn report(spec: &WkvSpec, inputs: &str, steps: usize, mut run: impl FnMut()) {
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < TIME {
        run();
        runs += 1;
    }
    let rate = (runs * steps) as f64 / start.elapsed().as_secs_f64();
    println!("{spec}, {inputs} inputs: {:.0} million channel-steps/s", rate / 1e6);
}
