//! Which stage each block stands in.

use super::blocks::{Block, Kind};
use super::{Delays, Options, Target};
use crate::netlist::{Netlist, Wire};

/// How often all blocks are tried for a later stage; few circuits need more than a dozen.
const MAX_SWEEPS: usize = 64;

/// The stages of a circuit.
pub(super) struct Schedule {
    /// The stage of each block.
    pub stage: Vec<usize>,
    /// The stage in which each wire is there from its beginning or is computed.
    pub birth: Vec<usize>,
    /// The latency of each output port.
    pub latencies: Vec<usize>,
    /// The longest path in a stage.
    pub delay: u32,
}

pub(super) fn schedule(
    netlist: &Netlist,
    blocks: &[Block],
    target: Target,
    options: &Options,
) -> Schedule {
    let mut scheduler = Scheduler::new(netlist, blocks, options);
    scheduler.limit = match target {
        Target::Delay(limit) => limit,
        Target::Stages(stages) => scheduler.shortest(stages),
    };
    scheduler.earliest();
    scheduler.close_groups(options);
    scheduler.move_later();
    Schedule {
        delay: scheduler.arrival.iter().copied().max().unwrap_or(0),
        stage: scheduler.stage,
        birth: scheduler.birth,
        latencies: scheduler.latencies,
    }
}

struct Scheduler<'n> {
    netlist: &'n Netlist,
    blocks: &'n [Block],
    delays: Delays,
    limit: u32,
    stage: Vec<usize>,
    birth: Vec<usize>,
    /// When in its stage each wire has its value.
    arrival: Vec<u32>,
    /// The blocks that read each wire.
    readers: Vec<Vec<usize>>,
    /// The output ports that show each wire.
    shown: Vec<Vec<usize>>,
    latencies: Vec<usize>,
}

impl<'n> Scheduler<'n> {
    fn new(netlist: &'n Netlist, blocks: &'n [Block], options: &Options) -> Scheduler<'n> {
        let count = netlist.nodes().len();
        let mut scheduler = Scheduler {
            netlist,
            blocks,
            delays: options.delays,
            limit: 0,
            stage: vec![0; blocks.len()],
            birth: vec![0; count],
            arrival: vec![0; count],
            readers: vec![Vec::new(); count],
            shown: vec![Vec::new(); count],
            latencies: Vec::new(),
        };
        for (number, block) in blocks.iter().enumerate() {
            block.inputs.iter().for_each(|wire| scheduler.readers[wire.index()].push(number));
        }
        for (number, port) in netlist.outputs().iter().enumerate() {
            port.wires.iter().for_each(|wire| scheduler.shown[wire.index()].push(number));
        }
        for port in netlist.inputs() {
            let late = options.late.iter().find(|(name, _)| *name == port.name);
            let arrival = options.arrivals.iter().find(|(name, _)| *name == port.name);
            for wire in &port.wires {
                scheduler.birth[wire.index()] = late.map_or(0, |&(_, clocks)| clocks);
                scheduler.arrival[wire.index()] = arrival.map_or(0, |&(_, delay)| delay);
            }
        }
        scheduler
    }

    /// The least limit that `stages` stages can keep; the limit of one stage if none does.
    fn shortest(&mut self, stages: usize) -> u32 {
        let path = self.delays.gate.max(self.delays.carry).saturating_add(1);
        let whole = path.saturating_mul(self.netlist.nodes().len() as u32);
        let (mut low, mut high) = (0, whole.saturating_add(self.delays.memory));
        while low < high {
            self.limit = low + (high - low) / 2;
            self.earliest();
            let last = self.birth.iter().copied().max().unwrap_or(0);
            match last < stages {
                true => high = self.limit,
                false => low = self.limit + 1,
            }
        }
        low
    }

    /// Puts every block in the earliest stage that the limit allows.
    fn earliest(&mut self) {
        for number in 0..self.blocks.len() {
            let block = &self.blocks[number];
            let birth = |wire: &Wire| self.birth[wire.index()];
            let mut stage = block.inputs.iter().map(birth).max().unwrap_or(0);
            let late = |scheduler: &Self, stage| {
                let waits = |wire: &Wire| scheduler.given(*wire, stage) > 0;
                block.inputs.iter().any(waits)
            };
            while self.place(number, stage) > self.limit && late(self, stage) {
                stage += 1;
            }
        }
    }

    /// When in `stage` a block can read a wire.
    fn given(&self, wire: Wire, stage: usize) -> u32 {
        match self.birth[wire.index()] == stage {
            true => self.arrival[wire.index()],
            false => 0,
        }
    }

    /// Puts a block in a stage; gives when its last wire has its value.
    fn place(&mut self, number: usize, stage: usize) -> u32 {
        let block = &self.blocks[number];
        self.stage[number] = stage;
        if block.kind != Kind::Logic {
            let (memory, clocks) = (block.kind == Kind::Table, block.kind.clocks());
            for wire in &block.results {
                self.birth[wire.index()] = stage + clocks;
                self.arrival[wire.index()] = if memory { self.delays.memory } else { 0 };
            }
            let given = block.inputs.iter().map(|&wire| self.given(wire, stage));
            return match given.max().unwrap_or(0) {
                // A multiplier reads registers, which become its own.
                late if late > 0 && !memory => u32::MAX,
                given => given,
            };
        }
        // A chain is entered by a gate's delay, and followed by the carry's.
        let mut last = 0;
        for &wire in &block.gates {
            let inputs = self.netlist.gate(wire).expect("a block holds gates").inputs();
            let along = |input: &Wire| match block.gates.binary_search(input) {
                Ok(_) => self.arrival[input.index()] + self.delays.carry,
                Err(_) => self.given(*input, stage) + self.delays.gate,
            };
            let arrival = inputs.iter().map(along).max().unwrap_or(0);
            self.birth[wire.index()] = stage;
            self.arrival[wire.index()] = arrival;
            last = last.max(arrival);
        }
        last
    }

    /// Gives the output ports of each group the latency of the latest of them.
    fn close_groups(&mut self, options: &Options) {
        let group = |name: &str| options.groups.iter().position(|ports| ports.contains(&name));
        let ports = self.netlist.outputs();
        let groups: Vec<Option<usize>> = ports.iter().map(|port| group(&port.name)).collect();
        let birth = |wire: &Wire| self.birth[wire.index()] + 1;
        let ready: Vec<usize> =
            ports.iter().map(|port| port.wires.iter().map(birth).max().unwrap_or(1)).collect();
        let latest = |group: &Option<usize>| {
            let members = std::iter::zip(&groups, &ready).filter(|(other, _)| *other == group);
            members.map(|(_, &ready)| ready).max().unwrap_or(1)
        };
        self.latencies = groups.iter().map(latest).collect();
    }

    /// Moves blocks later, stage by stage, while that takes no more registers.
    fn move_later(&mut self) {
        let last = self.birth.iter().chain(&self.latencies).max().copied().unwrap_or(0);
        let mut in_stage: Vec<Vec<usize>> = vec![Vec::new(); last + 2];
        for (number, &stage) in self.stage.iter().enumerate() {
            in_stage[stage].push(number);
        }
        for _ in 0..MAX_SWEEPS {
            let mut moved = false;
            for number in (0..self.blocks.len()).rev() {
                while self.may_move(number) && self.try_move(number, &mut in_stage) {
                    moved = true;
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// Whether nothing needs the block before the next stage, and its wires take no more cells to
    /// wait in if it moves there.
    fn may_move(&self, number: usize) -> bool {
        let (block, stage) = (&self.blocks[number], self.stage[number]);
        let next = stage + 1 + block.kind.clocks();
        let unread = block.results.is_empty();
        if unread || block.results.iter().any(|wire| self.first_use(*wire) < next) {
            return false;
        }
        let cells = |moved: Option<usize>| -> usize {
            let inputs = block.inputs.iter().map(|&wire| self.cells(wire, moved, 0));
            let later = usize::from(moved.is_some());
            let results = block.results.iter().map(|&wire| self.cells(wire, moved, later));
            inputs.chain(results).sum()
        };
        cells(Some(number)) <= cells(None)
    }

    /// The cells that a wire waits in if block `moved` stands a stage later, and the wire is computed
    /// `later`. The cell of a gate has the first register if nothing reads the gate itself.
    fn cells(&self, wire: Wire, moved: Option<usize>, later: usize) -> usize {
        let readers = self.readers[wire.index()].iter();
        let stages = readers.map(|&at| self.stage[at] + usize::from(moved == Some(at)));
        let ports = self.shown[wire.index()].iter().map(|&port| self.latencies[port]);
        let birth = self.birth[wire.index()] + later;
        let (first, last) = stages
            .chain(ports)
            .fold((usize::MAX, birth), |(first, last), at| (first.min(at), last.max(at)));
        let free = birth < first && birth < last && self.netlist.gate(wire).is_some();
        last - birth - usize::from(free)
    }

    fn first_use(&self, wire: Wire) -> usize {
        // A wire that an output shows needs one register at least.
        let blocks = self.readers[wire.index()].iter().map(|&reader| self.stage[reader]);
        let ports = self.shown[wire.index()].iter().map(|&port| self.latencies[port] - 1);
        blocks.chain(ports).min().unwrap_or(0)
    }

    /// Moves a block to the next stage unless a path there would become too long.
    fn try_move(&mut self, number: usize, in_stage: &mut [Vec<usize>]) -> bool {
        let stage = self.stage[number];
        let at = in_stage[stage + 1].partition_point(|&other| other < number);
        in_stage[stage + 1].insert(at, number);
        // The word of a memory belongs to the stage after.
        let reached = stage + 1 + usize::from(self.blocks[number].kind == Kind::Table);
        let limit = self.limit.max(self.longest(&in_stage[stage + 1..=reached]));
        self.place(number, stage + 1);
        if self.place_all(&in_stage[stage + 1..=reached]) <= limit {
            in_stage[stage].retain(|&other| other != number);
            return true;
        }
        in_stage[stage + 1].remove(at);
        self.place(number, stage);
        self.place_all(&in_stage[stage + 1..=reached]);
        false
    }

    /// The longest path in these stages, which may be beyond the limit where a chain is.
    fn longest(&self, stages: &[Vec<usize>]) -> u32 {
        let blocks =
            stages.iter().flatten().filter(|&&block| self.blocks[block].kind == Kind::Logic);
        let results = blocks.flat_map(|&block| &self.blocks[block].results);
        results.map(|wire| self.arrival[wire.index()]).max().unwrap_or(0)
    }

    /// Works out all blocks of these stages again; gives the longest path.
    fn place_all(&mut self, stages: &[Vec<usize>]) -> u32 {
        let blocks = stages.iter().flatten();
        blocks.map(|&block| self.place(block, self.stage[block])).max().unwrap_or(0)
    }
}
