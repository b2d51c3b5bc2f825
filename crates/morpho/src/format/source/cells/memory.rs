//! Memories of Yosys, where they are as those of [`memory`](crate::memory): one write port, and read
//! ports that take a word at the rising edge and give the old one where it is being written.

use super::{Cell, Lowered, Outcome, Parameter};
use crate::format::source::{Memory, MemoryRead, Module, Net};
use crate::memory::{MAX_ADDRESS_BITS, MAX_WIDTH};

/// `None` if it is no such cell.
pub(super) fn lower(module: &mut Module, cell: Cell) -> Option<Outcome> {
    (cell.kind() == "$mem_v2").then(|| of_yosys(module, cell))
}

fn of_yosys(module: &mut Module, cell: Cell) -> Outcome {
    let number = |name: &str| -> Result<usize, String> {
        let bits =
            cell.bits(name).ok_or_else(|| format!("has no number as its parameter `{name}`"))?;
        let value = bits.iter().enumerate().try_fold(0, |value, (at, &bit)| match bit {
            true if at >= 32 => None,
            bit => Some(value | usize::from(bit) << at),
        });
        value.ok_or_else(|| format!("has too large a number as its parameter `{name}`"))
    };
    let [width, address, depth] = [number("WIDTH")?, number("ABITS")?, number("SIZE")?];
    let [reads, writes] = [number("RD_PORTS")?, number("WR_PORTS")?];
    if !(1..=MAX_WIDTH).contains(&width) || address > MAX_ADDRESS_BITS || depth != 1 << address {
        return Err(format!("has {depth} words of {width} bits and {address} bits of an address"));
    }
    let flag = |name: &str, port: usize| {
        cell.bits(name).is_some_and(|bits| bits.get(port).copied().unwrap_or(false))
    };
    let is_off = |pin: &str| cell.pin(pin).iter().all(|&net| net == Net::constant(false));
    let edges = (0..reads).all(|port| flag("RD_CLK_ENABLE", port) && flag("RD_CLK_POLARITY", port))
        && (0..writes).all(|port| flag("WR_CLK_ENABLE", port) && flag("WR_CLK_POLARITY", port));
    let plain = !cell.flag("RD_TRANSPARENCY_MASK", false)
        && !cell.flag("RD_WIDE_CONTINUATION", false)
        && !cell.flag("OFFSET", false)
        && is_off("RD_ARST")
        && is_off("RD_SRST");
    if !edges || !plain || writes > 1 {
        let hint = "memories of one write port are read whose words are taken at the rising edge, the old \
                    one where it is written; map others first, `memory -nomap; memory_map`";
        return Ok(Lowered::Refused("the memory `$mem_v2`".to_string(), hint));
    }
    let pin = |name: &str, count: usize| match cell.pin(name) {
        nets if nets.len() == count => Ok(nets),
        nets => Err(format!("has {} bits at its pin `{name}` of {count}", nets.len())),
    };
    let clocks = [pin("RD_CLK", reads)?, pin("WR_CLK", writes)?].concat();
    let enables = pin("WR_EN", writes * width)?;
    let Some(&clock) = clocks.first() else { return Err("has no ports".to_string()) };
    if clocks.iter().any(|net| *net != clock) {
        return Err("has more than one clock".to_string());
    }
    if enables.iter().any(|net| *net != enables[0]) {
        return Err("writes some bits of a word alone".to_string());
    }
    let zeros = |count: usize| vec![Net::constant(false); count];
    let write = |nets: &[Net], count| if writes == 0 { zeros(count) } else { nets.to_vec() };
    let data = pin("RD_DATA", reads * width)?;
    let addresses = pin("RD_ADDR", reads * address)?;
    let read_enables = pin("RD_EN", reads)?;
    let read = |port: usize| MemoryRead {
        enable: read_enables[port],
        address: addresses[port * address..(port + 1) * address].to_vec(),
        data: data[port * width..(port + 1) * width].to_vec(),
    };
    let name = match (cell.parameter)("MEMID") {
        Some(Parameter::Text(text)) => text.trim_start_matches('\\').to_string(),
        _ => cell.instance.name.clone(),
    };
    let initial = cell.bits("INIT").unwrap_or_default();
    let word = |at: usize| {
        let bits = initial.iter().skip(at * width).take(width).enumerate();
        bits.fold(0, |word, (bit, &value)| word | u128::from(value) << bit)
    };
    module.memory(Memory {
        name,
        initial: (0..depth).map(word).collect(),
        write_enable: enables.first().copied().unwrap_or(Net::constant(false)),
        write_address: write(pin("WR_ADDR", writes * address)?, address),
        write_data: write(pin("WR_DATA", writes * width)?, width),
        reads: (0..reads).map(read).collect(),
        clock,
        position: cell.instance.position,
    });
    Ok(Lowered::Logic)
}
