//! The JSON of a netlist as it is parsed: objects are lists of fields, so that none is lost, and
//! inner objects stay unread text at first, so that their place is known.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A whole file.
#[derive(serde::Deserialize)]
#[serde(expecting = "an object with modules")]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub modules: Fields<'a, &'a RawValue>,
}

/// A module.
#[derive(serde::Deserialize)]
#[serde(expecting = "a module")]
pub(super) struct ModuleText<'a> {
    #[serde(borrow, default)]
    pub attributes: Fields<'a, Value<'a>>,
    #[serde(borrow, default)]
    pub ports: Fields<'a, &'a RawValue>,
    #[serde(borrow, default)]
    pub cells: Fields<'a, &'a RawValue>,
    #[serde(borrow, default)]
    pub netnames: Fields<'a, &'a RawValue>,
    #[serde(borrow, default)]
    pub memories: Fields<'a, &'a RawValue>,
}

/// A port of a module.
#[derive(serde::Deserialize)]
#[serde(expecting = "a port")]
pub(super) struct PortText<'a> {
    #[serde(borrow)]
    pub direction: Text<'a>,
    pub bits: Vec<Bit>,
    pub offset: Option<i64>,
}

/// A cell of a module.
#[derive(serde::Deserialize)]
#[serde(expecting = "a cell")]
pub(super) struct CellText<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub parameters: Fields<'a, Value<'a>>,
    #[serde(borrow)]
    pub connections: Fields<'a, Vec<Bit>>,
}

/// A name for nets of a module.
#[derive(serde::Deserialize)]
#[serde(expecting = "a name of nets")]
pub(super) struct NetNameText<'a> {
    #[serde(default)]
    pub hide_name: u8,
    pub bits: Vec<Bit>,
    pub offset: Option<i64>,
    #[serde(borrow, default)]
    pub attributes: Fields<'a, Value<'a>>,
}

/// The fields of an object in their order, repeated ones too.
pub(super) struct Fields<'a, V>(pub Vec<(Text<'a>, V)>);

impl<V> Default for Fields<'_, V> {
    fn default() -> Self {
        Fields(Vec::new())
    }
}

impl<V> Fields<'_, V> {
    /// The first field of this name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.iter().find(|(field, _)| field.0 == name).map(|(_, value)| value)
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Fields<'a, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for FieldVisitor<V> {
            type Value = Fields<'de, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de, V>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldVisitor(PhantomData))
    }
}

/// A string, borrowed from the file unless it has escapes.
pub(super) struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// One bit of a port, of a connection or under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    Net(u64),
    Constant(bool),
    /// `x` or `z`.
    Unknown,
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BitVisitor;
        impl Visitor<'_> for BitVisitor {
            type Value = Bit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a net, or \"0\", \"1\", \"x\" or \"z\"")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Bit, E> {
                Ok(Bit::Net(number))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Bit, E> {
                match text {
                    "0" => Ok(Bit::Constant(false)),
                    "1" => Ok(Bit::Constant(true)),
                    "x" | "z" => Ok(Bit::Unknown),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(BitVisitor)
    }
}

/// The value of a parameter or attribute: a number, or bits or another text.
pub(super) enum Value<'a> {
    Number(u64),
    Text(Cow<'a, str>),
}

impl Value<'_> {
    /// The bits, lowest first; `None` for one that is not known. `None` if it is no bits.
    pub fn bits(&self) -> Option<Vec<Option<bool>>> {
        let bit = |byte: u8| match byte {
            b'0' => Some(Some(false)),
            b'1' => Some(Some(true)),
            b'x' | b'z' => Some(None),
            _ => None,
        };
        match self {
            Value::Number(number) => Some((0..64).map(|at| Some(number >> at & 1 == 1)).collect()),
            Value::Text(text) => text.bytes().rev().map(bit).collect(),
        }
    }

    /// The number, if it is one of at most 64 known bits.
    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(text) => {
                let digits = text.trim_start_matches('0');
                let sound = !text.is_empty() && digits.bytes().all(|b| matches!(b, b'0' | b'1'));
                match digits {
                    "" if sound => Some(0),
                    _ if sound => u64::from_str_radix(digits, 2).ok(),
                    _ => None,
                }
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = Value<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number or a string")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Value<'de>, E> {
                Ok(Value::Number(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Value<'de>, E> {
                Ok(Value::Number(number as u64))
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}
