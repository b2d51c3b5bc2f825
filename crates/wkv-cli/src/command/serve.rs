//! `wkv serve`: the pages from a server of this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::server;
use crate::site::{Site, Source};

/// Arguments of `wkv serve`.
#[derive(Args)]
#[command(after_help = "\
Prints the address and serves until Ctrl-C. Without --host only this machine can reach it.

Example:
  wkv serve --port 8080")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The port; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 8000)]
    port: u16,
    /// The address to listen at
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Served {
    address: SocketAddr,
}

/// Runs `wkv serve`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { source, port, host } = arguments;
    let site = Site::build(&source, context)?;
    let address = SocketAddr::new(host, port);
    let listener = server::listen(address)?;
    let address = listener.local_addr()?;
    if !host.is_loopback() {
        context.note(format_args!("{address} can be reached from other machines"));
    }
    context.say(format_args!("http://{address}/"));
    server::serve(listener, site, &context.interrupt)?;
    // To be stopped is how a server ends.
    context.interrupt.forget();
    Ok(Outcome::held(Served { address }))
}
