//! Vectors for test benches from files of streams.

use std::path::Path;

use morpho::Netlist;
use morpho::prove::{PinKind, Vectors};
use wkv::circuit::Unit;
use wkv::test_bench::{Token, Turns};
use wkv::{Arithmetic, WkvSpec};

use crate::arguments::Circuit;
use crate::failure::Failure;
use crate::stream::{self, Numbers, Stream};

/// The test benches over the stream of `spec` in a file, by name: for a bank `name`, with all channels
/// at once; for a cell one for each channel, with its number behind `name`.
pub fn benches(
    path: &Path,
    spec: &WkvSpec,
    unit: &Circuit,
    netlist: &Netlist,
    name: &str,
) -> Result<Vec<(String, Vectors)>, Failure> {
    let stream = only_stream(path, spec)?;
    let numbers = stream.raw(spec.format)?;
    let channels = stream.channels();
    let vectors = |channels: &[(usize, String)]| of_channels(netlist, &numbers, channels);
    match unit {
        Circuit::Unit(Unit::Cell | Unit::ProbedCell) => {
            let bench =
                |channel| (format!("{name}_{channel}"), vectors(&[(channel, String::new())]));
            Ok((0..channels).map(bench).collect())
        }
        Circuit::Unit(Unit::Bank(size)) if *size == channels => {
            let all = (0..channels).map(|channel| (channel, channel.to_string()));
            Ok(vec![(name.to_owned(), vectors(&all.collect::<Vec<_>>()))])
        }
        Circuit::Unit(Unit::Bank(size)) => Err(stream.fault(format!(
            "has {channels} channels, {unit} has {size}; expected --unit bank={channels} or cell"
        ))),
        _ => Err(Failure::input(format!(
            "--streams: {unit} takes no tokens by the clock; expected --unit cell, bank=N, serial=N, shared=N or \
             pipeline=N"
        ))),
    }
}

/// The stream of `spec` in a file, for `unit` of so many channels that take turns.
pub fn turns(
    path: &Path,
    spec: &WkvSpec,
    unit: &Circuit,
    channels: usize,
) -> Result<Turns, Failure> {
    let stream = only_stream(path, spec)?;
    let Numbers { k, v, u, w } = stream.raw(spec.format)?;
    if stream.channels() != channels {
        let found = stream.channels();
        return Err(stream.fault(format!("has {found} channels, {unit} has {channels}")));
    }
    let pairs = std::iter::zip(stream::by_token(&k), stream::by_token(&v)).enumerate();
    let token = |(index, (k, v))| Token { k, v, first: index < channels };
    let constants = std::iter::zip(u, w).map(|(u, w)| [u, w]).collect();
    Ok(Turns { constants, tokens: pairs.map(token).collect() })
}

/// The one stream of a file that is meant for `spec`, or for any.
fn only_stream(path: &Path, spec: &WkvSpec) -> Result<Stream, Failure> {
    let is_meant = |stream: &Stream| match stream.spec {
        Some(Arithmetic::Fixed(other)) => other == *spec,
        Some(Arithmetic::Float | Arithmetic::Exact(_)) => false,
        None => true,
    };
    let streams: Vec<Stream> = stream::read(path)?.into_iter().filter(is_meant).collect();
    let found = streams.len();
    let [stream] = <[Stream; 1]>::try_from(streams).map_err(|_| {
        Failure::input(format!("{}: {found} streams of {spec}; expected one", path.display()))
    })?;
    match stream.steps() {
        0 => Err(stream.fault("has no tokens, so a bench would test nothing; expected some")),
        _ => Ok(stream),
    }
}

/// One vector a token, for channels by number and the ends of their ports' names.
fn of_channels(netlist: &Netlist, numbers: &Numbers<i32>, channels: &[(usize, String)]) -> Vectors {
    let mut vectors = Vectors::new(netlist);
    let tokens = channels.first().map_or(0, |(channel, _)| numbers.k[*channel].len());
    for token in 0..tokens {
        let ports: Vec<(String, i32)> = channels
            .iter()
            .flat_map(|(channel, end)| {
                let Numbers { k, v, u, w } = numbers;
                let raw = [k[*channel][token], v[*channel][token], u[*channel], w[*channel]];
                std::iter::zip(["k", "v", "u", "w"].map(|name| format!("{name}{end}")), raw)
            })
            .collect();
        let pins: Vec<_> = ports
            .iter()
            .map(|(name, raw)| (PinKind::Port, &name[..], *raw as u32 as u128))
            .collect();
        vectors.push_numbers(&pins);
    }
    vectors
}
