//! The pickles that `torch.save` writes for a state dict, read without running anything.
//!
//! A pickle is a program for a stack machine that may import and call anything. This machine knows
//! the instructions that build numbers, texts, tuples, lists and dicts, and the few names that a
//! state dict needs; it refuses every other name, and calls nothing. Values are plain numbers
//! and places in flat tables, so that no nesting is deep to it, and each instruction adds at most one
//! value. The instructions are those of Python's `pickletools`, protocols 2 to 5.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::str;

use super::tensors::row_major;
use super::torch::storage_class;
use super::write::Output;

/// The longest pickle: 4 MiB, for some 20,000 tensors.
pub(super) const MOST_BYTES: u64 = 1 << 22;

/// Dimensions of a tensor, so that those that share a shape stay small.
const MOST_DIMENSIONS: usize = 8;

/// A tensor as a pickle describes it: a view of a storage. All counts are in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The class of the storage, such as `BFloat16Storage`.
    pub class: String,
    /// The storage's file.
    pub key: String,
    /// Length of the storage.
    pub elements: u64,
    /// The first element.
    pub offset: u64,
    /// Sizes of the dimensions.
    pub shape: Vec<usize>,
    /// The distance of neighbours in each dimension.
    pub strides: Vec<u64>,
}

/// What a state dict says besides its tensors: texts by name.
#[derive(Debug, Default)]
pub(super) struct StateDict {
    /// The tensors by name.
    pub tensors: BTreeMap<String, View>,
    /// The texts by name.
    pub texts: BTreeMap<String, String>,
}

/// Reads the state dict that a pickle makes, or tells what is wrong with it and where.
pub(super) fn read(pickle: &[u8]) -> Result<StateDict, String> {
    let mut machine = Machine { rest: pickle, ..Machine::default() };
    let made = machine.run().map_err(|reason| {
        let place = pickle.len() - machine.instruction;
        format!("its pickle, at byte {place}: {reason}")
    })?;
    machine.state_dict(made)
}

/// A value. Compound ones are places in the machine's tables.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    /// What a state dict says without a need here.
    Nothing,
    Integer(i64),
    Text(&'a str),
    Tuple(Place),
    /// A state dict needs none of its elements.
    List,
    Dict(usize),
    Global(Global<'a>),
    Storage(Storage<'a>),
    Tensor(Tensor<'a>),
}

/// A range of the table of tuples' elements.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    end: usize,
}

/// The names that a pickle may use.
#[derive(Clone, Copy, Debug)]
enum Global<'a> {
    OrderedDict,
    RebuildTensor,
    RebuildParameter,
    /// A class of storages, by its name.
    StorageClass(&'a str),
}

#[derive(Clone, Copy, Debug)]
struct Storage<'a> {
    class: &'a str,
    key: &'a str,
    elements: u64,
}

#[derive(Clone, Copy, Debug)]
struct Tensor<'a> {
    storage: Storage<'a>,
    offset: u64,
    shape: Place,
    strides: Place,
}

#[derive(Default)]
struct Machine<'a> {
    /// What is left of the pickle.
    rest: &'a [u8],
    /// How much was left before the current instruction.
    instruction: usize,
    stack: Vec<Value<'a>>,
    /// Heights of the stack at marks.
    marks: Vec<usize>,
    memo: BTreeMap<usize, Value<'a>>,
    /// Elements of all tuples.
    elements: Vec<Value<'a>>,
    /// Keys and values of all dicts.
    dicts: Vec<Vec<(Value<'a>, Value<'a>)>>,
}

type Done<T = ()> = Result<T, String>;

impl<'a> Machine<'a> {
    /// Runs to the end; gives the value made.
    fn run(&mut self) -> Done<Value<'a>> {
        loop {
            self.instruction = self.rest.len();
            match self.byte()? {
                b'.' => return self.pop(),
                code => self.step(code)?,
            }
        }
    }

    fn step(&mut self, code: u8) -> Done {
        match code {
            // Protocol and frame tell nothing that is not known from the instructions.
            0x80 => self.byte().map(drop),
            0x95 => self.take(8).map(drop),
            b'N' | 0x88 | 0x89 => self.push(Value::Nothing),
            b'K' => self.integer(1),
            b'M' => self.integer(2),
            b'J' => self.integer(4),
            0x8A => {
                let length = self.byte()?.into();
                self.integer(length)
            }
            b'G' => {
                self.take(8)?;
                self.push(Value::Nothing)
            }
            b'X' => self.text(4),
            0x8C => self.text(1),
            0x8D => self.text(8),
            b')' => self.tuple(0),
            0x85 => self.tuple(1),
            0x86 => self.tuple(2),
            0x87 => self.tuple(3),
            b'(' => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            b't' => {
                let count = self.stack.len() - self.mark()?;
                self.tuple(count)
            }
            b']' => self.push(Value::List),
            b'a' => {
                self.pop()?;
                self.expect_list()
            }
            b'e' => {
                let from = self.mark()?;
                self.stack.truncate(from);
                self.expect_list()
            }
            b'}' => self.new_dict(),
            b's' => self.set_items(self.stack.len().checked_sub(2)),
            b'u' => {
                let from = self.mark()?;
                self.set_items(Some(from))
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)
            }
            0x93 => match (self.pop()?, self.pop()?) {
                (Value::Text(name), Value::Text(module)) => self.global(module, name),
                _ => Err("a global whose name is no text".to_owned()),
            },
            b'Q' => self.persistent(),
            b'R' => self.call(),
            // The state of a dict: versions of modules.
            b'b' => {
                self.pop()?;
                match self.stack.last() {
                    Some(Value::Dict(_)) => Ok(()),
                    _ => Err("state for what is no dict".to_owned()),
                }
            }
            b'q' => {
                let place = self.byte()?.into();
                self.remember(place)
            }
            b'r' => {
                let place = self.size(4)?;
                self.remember(place)
            }
            0x94 => self.remember(self.memo.len()),
            b'h' => {
                let place = self.byte()?.into();
                self.recall(place)
            }
            b'j' => {
                let place = self.size(4)?;
                self.recall(place)
            }
            b'0' => self.pop().map(drop),
            code => Err(format!("instruction 0x{code:02x}, which no state dict needs")),
        }
    }

    fn take(&mut self, length: usize) -> Done<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or("it ends here")?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Done<u8> {
        Ok(self.take(1)?[0])
    }

    /// A length or a place of up to 8 bytes.
    fn size(&mut self, bytes: usize) -> Done<usize> {
        let mut whole = [0; 8];
        whole[..bytes].copy_from_slice(self.take(bytes)?);
        usize::try_from(u64::from_le_bytes(whole)).map_err(|_| "it ends here".to_owned())
    }

    fn line(&mut self) -> Done<&'a str> {
        let length = self.rest.iter().position(|&byte| byte == b'\n').ok_or("it ends here")?;
        let line = self.take(length + 1)?;
        str::from_utf8(&line[..length]).map_err(|_| "a name that is not UTF-8".to_owned())
    }

    fn push(&mut self, value: Value<'a>) -> Done {
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Done<Value<'a>> {
        self.stack.pop().ok_or_else(|| "nothing is left on its stack".to_owned())
    }

    /// The height of the stack at the last mark, which is no more.
    fn mark(&mut self) -> Done<usize> {
        let mark = self.marks.pop().filter(|&mark| mark <= self.stack.len());
        mark.ok_or_else(|| "a mark is missing".to_owned())
    }

    /// A number in two's complement; those of one and two bytes have no sign.
    fn integer(&mut self, length: usize) -> Done {
        let bytes = self.take(length)?;
        if length > 8 {
            return Err(format!("a number of {length} bytes"));
        }
        let negative = length >= 4 && bytes[length - 1] >= 0x80 || length == 3 && bytes[2] >= 0x80;
        let mut whole = [if negative { 0xFF } else { 0 }; 8];
        whole[..length].copy_from_slice(bytes);
        self.push(Value::Integer(i64::from_le_bytes(whole)))
    }

    fn text(&mut self, bytes: usize) -> Done {
        let length = self.size(bytes)?;
        let text = str::from_utf8(self.take(length)?).map_err(|_| "text that is not UTF-8")?;
        self.push(Value::Text(text))
    }

    /// Makes a tuple of the last `count` values.
    fn tuple(&mut self, count: usize) -> Done {
        let from = self.stack.len().checked_sub(count).ok_or("too few values for a tuple")?;
        let start = self.elements.len();
        self.elements.extend(self.stack.drain(from..));
        self.push(Value::Tuple(Place { start, end: self.elements.len() }))
    }

    fn new_dict(&mut self) -> Done {
        self.dicts.push(Vec::new());
        self.push(Value::Dict(self.dicts.len() - 1))
    }

    fn expect_list(&self) -> Done {
        match self.stack.last() {
            Some(Value::List) => Ok(()),
            _ => Err("elements for what is no list".to_owned()),
        }
    }

    /// Puts the keys and values from a height of the stack on into the dict below.
    fn set_items(&mut self, from: Option<usize>) -> Done {
        let below = from.and_then(|from| Some((from, from.checked_sub(1)?)));
        let Some((from, Value::Dict(dict))) =
            below.and_then(|(from, dict)| Some((from, *self.stack.get(dict)?)))
        else {
            return Err("elements for what is no dict".to_owned());
        };
        let (items, []) = self.stack[from..].as_chunks() else {
            return Err("a key without a value".to_owned());
        };
        self.dicts[dict].extend(items.iter().map(|&[key, value]| (key, value)));
        self.stack.truncate(from);
        Ok(())
    }

    fn remember(&mut self, place: usize) -> Done {
        let value = *self.stack.last().ok_or("nothing is left on its stack")?;
        self.memo.insert(place, value);
        Ok(())
    }

    fn recall(&mut self, place: usize) -> Done {
        let value = self.memo.get(&place).ok_or_else(|| format!("no value {place} before"))?;
        self.push(*value)
    }

    /// Pushes an allowed name.
    fn global(&mut self, module: &'a str, name: &'a str) -> Done {
        let global = match (module, name) {
            ("collections", "OrderedDict") => Global::OrderedDict,
            ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => Global::RebuildTensor,
            ("torch._utils", "_rebuild_parameter") => Global::RebuildParameter,
            ("torch" | "torch.cuda", class) if class.ends_with("Storage") => {
                Global::StorageClass(class)
            }
            _ => {
                return Err(format!(
                    "global `{module}.{name}` is refused, and nothing was run; expected a state dict \
                     of tensors, as torch.save(model.state_dict(), FILE) writes it"
                ));
            }
        };
        self.push(Value::Global(global))
    }

    /// A storage, which a pickle names by what it is and the file that holds it.
    fn persistent(&mut self) -> Done {
        let Value::Tuple(place) = self.pop()? else {
            return Err("a persistent name that is no tuple".to_owned());
        };
        let storage = match *self.tuple_at(place) {
            [
                Value::Text("storage"),
                Value::Global(Global::StorageClass(class)),
                Value::Text(key),
                Value::Text(_),
                Value::Integer(elements),
                ..,
            ] => Storage { class, key, elements: natural(elements, "storage of length")? },
            _ => return Err("a persistent name that is no storage".to_owned()),
        };
        self.push(Value::Storage(storage))
    }

    /// What an allowed name makes of its arguments.
    fn call(&mut self) -> Done {
        let (arguments, function) = (self.pop()?, self.pop()?);
        let (Value::Tuple(place), Value::Global(function)) = (arguments, function) else {
            return Err("a call of what is no global".to_owned());
        };
        match (function, self.tuple_at(place)) {
            (Global::OrderedDict, []) => self.new_dict(),
            (
                Global::RebuildTensor,
                &[
                    Value::Storage(storage),
                    Value::Integer(offset),
                    Value::Tuple(shape),
                    Value::Tuple(strides),
                    ..,
                ],
            ) => {
                let offset = natural(offset, "tensor at offset")?;
                self.push(Value::Tensor(Tensor { storage, offset, shape, strides }))
            }
            (Global::RebuildParameter, &[tensor @ Value::Tensor(_), ..]) => self.push(tensor),
            (function, _) => Err(format!("{function:?} with arguments of other kinds")),
        }
    }

    fn tuple_at(&self, Place { start, end }: Place) -> &[Value<'a>] {
        &self.elements[Range { start, end }]
    }

    /// The tensors and texts of the dict `made`, or of the one dict in it that holds tensors.
    fn state_dict(&self, made: Value<'a>) -> Done<StateDict> {
        let Value::Dict(dict) = made else {
            return Err("its pickle makes no dict; expected a state dict of tensors".to_owned());
        };
        let mut items = &self.dicts[dict];
        if !items.iter().any(|(_, value)| matches!(value, Value::Tensor(_))) {
            let inner = items.iter().find_map(|item| match item {
                (Value::Text("state_dict" | "model" | "module"), Value::Dict(dict)) => Some(*dict),
                _ => None,
            });
            items = inner.map_or(items, |dict| &self.dicts[dict]);
        }
        let mut state_dict = StateDict::default();
        let mut names = BTreeSet::new();
        for item in items {
            let &(Value::Text(name), value) = item else {
                return Err("its state dict has a key that is no text".to_owned());
            };
            if !names.insert(name) {
                return Err(format!("its state dict has `{name}` twice"));
            }
            match value {
                Value::Tensor(tensor) => {
                    let view =
                        self.view(tensor).map_err(|why| format!("tensor `{name}`: {why}"))?;
                    state_dict.tensors.insert(name.to_owned(), view);
                }
                Value::Text(text) => {
                    state_dict.texts.insert(name.to_owned(), text.to_owned());
                }
                _ => {
                    return Err(format!("`{name}` is no tensor; expected a state dict of tensors"));
                }
            }
        }
        Ok(state_dict)
    }

    fn view(&self, Tensor { storage, offset, shape, strides }: Tensor<'a>) -> Done<View> {
        let numbers = |place: Place, what| -> Done<Vec<u64>> {
            if place.end - place.start > MOST_DIMENSIONS {
                return Err(format!("more than {MOST_DIMENSIONS} dimensions"));
            }
            let number = |value: &Value| match *value {
                Value::Integer(number) => natural(number, what),
                _ => Err(format!("{what} that is no number")),
            };
            self.tuple_at(place).iter().map(number).collect()
        };
        let shape = numbers(shape, "dimension of size")?;
        let strides = numbers(strides, "stride of")?;
        if shape.len() != strides.len() {
            return Err(format!("{} dimensions, but {} strides", shape.len(), strides.len()));
        }
        let size = |size: u64| usize::try_from(size).map_err(|_| format!("dimension of {size}"));
        Ok(View {
            class: storage.class.to_owned(),
            key: storage.key.to_owned(),
            elements: storage.elements,
            offset,
            shape: shape.into_iter().map(size).collect::<Done<_>>()?,
            strides,
        })
    }
}

/// A number that cannot be negative.
fn natural(number: i64, what: &str) -> Done<u64> {
    u64::try_from(number).map_err(|_| format!("{what} {number}"))
}

/// The pickle of an ordered dict of tensors, each the whole of the storage of its number, and of a
/// text, if there is one. Protocol 2.
pub(super) fn write(outputs: &[Output], text: Option<(&str, &str)>) -> Vec<u8> {
    let mut pickle = b"\x80\x02ccollections\nOrderedDict\n)R(".to_vec();
    for (key, output) in outputs.iter().enumerate() {
        put_text(&mut pickle, &output.name);
        put_tensor(&mut pickle, key, output);
    }
    if let Some((name, value)) = text {
        put_text(&mut pickle, name);
        put_text(&mut pickle, value);
    }
    pickle.extend(b"u.");
    pickle
}

fn put_tensor(pickle: &mut Vec<u8>, key: usize, output: &Output) {
    pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
    put_text(pickle, "storage");
    pickle.extend(format!("ctorch\n{}\n", storage_class(&output.element_type)).as_bytes());
    put_text(pickle, &key.to_string());
    put_text(pickle, "cpu");
    put_number(pickle, output.values.len() as u64);
    pickle.extend(b"tQ");
    put_number(pickle, 0);
    let shape = output.shape.stored();
    let strides = row_major(&shape);
    for numbers in [shape.iter().map(|&size| size as u64).collect(), strides] {
        pickle.push(b'(');
        numbers.into_iter().for_each(|number| put_number(pickle, number));
        pickle.push(b't');
    }
    // It needs no gradient and has no hooks.
    pickle.extend(b"\x89ccollections\nOrderedDict\n)RtR");
}

fn put_text(pickle: &mut Vec<u8>, text: &str) {
    pickle.push(b'X');
    pickle.extend((text.len() as u32).to_le_bytes());
    pickle.extend(text.as_bytes());
}

fn put_number(pickle: &mut Vec<u8>, number: u64) {
    match i32::try_from(number) {
        Ok(number) => {
            pickle.push(b'J');
            pickle.extend(number.to_le_bytes());
        }
        // Eight bytes with a sign: no tensor has so many elements that they do not do.
        Err(_) => {
            pickle.extend(b"\x8a\x08");
            pickle.extend(number.to_le_bytes());
        }
    }
}
