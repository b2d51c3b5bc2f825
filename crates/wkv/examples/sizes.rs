//! sizes
use wkv::circuit::{Unit, build, inventory};
fn main() {
    let spec: wkv::WkvSpec = std::env::args().nth(1).unwrap_or("classic:q8.8".into()).parse().unwrap();
    for unit in Unit::ALL {
        let n = build(&spec, unit).unwrap();
        println!("{unit}: {} gates, depth {}, {:?}", n.gates().count(), n.depth(), n.gates_by_arity());
        if unit == Unit::Cell { for l in inventory(&n) { println!("   {l:?}"); } }
        let p = morpho::sim::Program::compile(&n);
        println!("   ops {} runs {} slots {}", p.operations(), p.runs(), p.slots());
    }
    let n = build(&spec, Unit::Cell).unwrap();
    let p = std::sync::Arc::new(morpho::sim::Program::compile(&n));
    let mut s = morpho::sim::Simulator::new(p.clone(), 4096);
    let (k, v, u, w, out) = (p.input("k").unwrap(), p.input("v").unwrap(), p.input("u").unwrap(), p.input("w").unwrap(), p.output("out").unwrap());
    let nums: Vec<i16> = (0..4096).map(|i| (i * 7919 % 3000) as i16).collect();
    s.set(u, &nums); s.set(w, &nums.iter().map(|x| -x).collect::<Vec<_>>());
    let b = &mut s.blocks_mut()[0];
    let mut o = vec![0i16; 4096];
    for _ in 0..4 {
        let t = std::time::Instant::now();
        for _ in 0..500 { b.step().unwrap(); }
        let e = t.elapsed().as_secs_f64();
        let t = std::time::Instant::now();
        for _ in 0..500 { b.set(k, &nums); b.set(v, &nums); b.get(out, &mut o); }
        let e2 = t.elapsed().as_secs_f64();
        println!("{:.1} M/s step, {:.1} M/s io, {:.1} together", 500.0 * 4096.0 / e / 1e6, 500.0 * 4096.0 / e2 / 1e6, 500.0 * 4096.0 / (e + e2) / 1e6);
    }
}
