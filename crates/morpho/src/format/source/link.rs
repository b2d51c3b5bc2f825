//! Which module each instance is one of, and what each of its ports is connected to.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Connection, Design, Direction, Instance, Module, Position, Problems};
use crate::diagnostic::Diagnostic;

/// The most bits that a flattened file may have.
const MOST_NETS: u64 = 1 << 28;

/// An instance: its module, and pairs of a port of that module and a connection.
pub(super) struct Link {
    pub module: usize,
    pub ports: Vec<(usize, usize)>,
}

/// The links of every module that the top uses; empty for the others.
pub(super) struct Links(pub Vec<Vec<Link>>);

/// The top module: the one asked for, the one that the file names, or the one that no other uses.
pub(super) fn find_top(
    design: &Design,
    wanted: Option<&str>,
    problems: &mut Problems,
) -> Option<usize> {
    let start = Position::default();
    if let Some(name) = wanted.or(design.top.as_deref()) {
        let found = design.modules.iter().position(|module| module.name == name);
        if found.is_none() {
            let text = format!("the file has no module `{name}`");
            problems.error(start, Diagnostic::new(text).hint(listed(design.modules.iter())));
        }
        return found;
    }
    let used: FxHashSet<&str> = design
        .modules
        .iter()
        .flat_map(|module| module.instances.iter().map(|instance| &instance.module[..]))
        .collect();
    let unused = |&index: &usize| !used.contains(&design.modules[index].name[..]);
    let tops: Vec<usize> = (0..design.modules.len()).filter(unused).collect();
    match tops[..] {
        [top] => return Some(top),
        [] if design.modules.is_empty() => {
            problems.error(start, Diagnostic::new("the file has no module"));
        }
        [] => {
            let text = "every module is used by another one, so none is the top";
            problems.error(start, Diagnostic::new(text).hint("name the top with --top"));
        }
        _ => {
            let text = format!("{} modules could be the top", tops.len());
            let names = listed(tops.iter().map(|&top| &design.modules[top]));
            problems
                .error(start, Diagnostic::new(text).hint(format!("name it with --top; {names}")));
        }
    }
    None
}

fn listed<'a>(modules: impl Iterator<Item = &'a Module>) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = modules.map(|module| format!("`{}`", module.name)).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("the modules are {}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// Links the modules that `top` uses. Reports unknown, repeated and recursive modules, wrong
/// connections, and a hierarchy too large to flatten.
pub(super) fn link(design: &Design, top: usize, problems: &mut Problems) -> Links {
    let mut by_name = FxHashMap::<&str, usize>::default();
    for (index, module) in design.modules.iter().enumerate() {
        if let Some(first) = by_name.insert(&module.name, index) {
            let line = design.modules[first].position.line;
            let text =
                format!("there are two modules `{}`; the first is on line {line}", module.name);
            problems.error(module.position, Diagnostic::new(text));
        }
    }
    let mut links = Links((0..design.modules.len()).map(|_| Vec::new()).collect());
    let mut linked = vec![false; design.modules.len()];
    let mut waiting = vec![top];
    while let Some(index) = waiting.pop() {
        if std::mem::replace(&mut linked[index], true) {
            continue;
        }
        check_ports(&design.modules[index], problems);
        for instance in &design.modules[index].instances {
            match by_name.get(&instance.module[..]) {
                Some(&module) => {
                    let ports = connect(instance, &design.modules[module], problems);
                    links.0[index].push(Link { module, ports });
                    waiting.push(module);
                }
                None => unknown(instance, problems),
            }
        }
    }
    if !problems.has_errors() {
        check_size(design, &links, top, problems);
    }
    links
}

fn check_ports(module: &Module, problems: &mut Problems) {
    let mut seen = FxHashSet::default();
    for port in &module.ports {
        if !seen.insert((&port.name, port.direction == Direction::Input)) {
            let text = format!("module `{}` has two ports `{}`", module.name, port.name);
            problems.error(port.position, Diagnostic::new(text));
        }
    }
}

fn unknown(instance: &Instance, problems: &mut Problems) {
    let Instance { module, name, .. } = instance;
    let text = format!("`{name}` is an instance of `{module}`, which the file does not define");
    problems.error(instance.position, Diagnostic::new(text).hint("add the module to the file"));
}

fn connect(instance: &Instance, module: &Module, problems: &mut Problems) -> Vec<(usize, usize)> {
    // Few ports are searched one by one; many by a table.
    let by_name: FxHashMap<&str, usize> = match instance.connections.len() {
        0..=8 => FxHashMap::default(),
        _ => module.ports.iter().enumerate().map(|(at, port)| (&port.name[..], at)).collect(),
    };
    let find = |name: &str| match by_name.is_empty() {
        true => module.ports.iter().position(|port| port.name == name),
        false => by_name.get(name).copied(),
    };
    let mut connected = vec![false; module.ports.len()];
    let mut pairs = Vec::new();
    for (index, connection) in instance.connections.iter().enumerate() {
        let Connection { port, bits, position } = connection;
        let found = find(port).ok_or_else(|| format!("has no port `{port}`"));
        let problem = match found {
            Err(problem) => problem,
            Ok(at) => {
                let (name, width) = (&module.ports[at].name, module.ports[at].bits.len());
                if std::mem::replace(&mut connected[at], true) {
                    format!("has its port `{name}` connected twice")
                } else if !bits.is_empty() && bits.len() != width {
                    let given = bits.len();
                    format!("has a port `{name}` of {width} bits, which is given {given}")
                } else {
                    pairs.push((at, index));
                    continue;
                }
            }
        };
        let text = format!("`{}`, an instance of `{}`, {problem}", instance.name, module.name);
        problems.error(*position, Diagnostic::new(text));
    }
    pairs
}

/// Reports a module that contains itself, or too many bits in all. Depth-first, without recursion.
fn check_size(design: &Design, links: &Links, top: usize, problems: &mut Problems) {
    let mut sizes: Vec<Option<u64>> = vec![None; design.modules.len()];
    let mut open = vec![false; design.modules.len()];
    let mut path = vec![(top, 0)];
    open[top] = true;
    while let Some(&mut (module, ref mut next)) = path.last_mut() {
        if let Some(link) = links.0[module].get(*next) {
            let instance = &design.modules[module].instances[*next];
            *next += 1;
            if open[link.module] {
                let name = &design.modules[link.module].name;
                let text =
                    format!("module `{name}` contains itself, by way of `{}`", instance.name);
                return problems.error(instance.position, Diagnostic::new(text));
            }
            if sizes[link.module].is_none() {
                open[link.module] = true;
                path.push((link.module, 0));
            }
            continue;
        }
        let inner = links.0[module].iter().map(|link| sizes[link.module].unwrap_or(0));
        let own = design.modules[module].net_count() as u64;
        sizes[module] = Some(inner.fold(own, u64::saturating_add));
        open[module] = false;
        path.pop();
    }
    if sizes[top].is_some_and(|size| size > MOST_NETS) {
        let text = format!("the circuit has more than {MOST_NETS} bits when it is flattened");
        problems.error(design.modules[top].position, Diagnostic::new(text));
    }
}
