//! One point of the numerics space, as text, as a TOML file and as a value.
//!
//! A spec is written as colon-separated text. The first two parts name the family and the format,
//! the rest are options in any order:
//!
//! | option | meaning |
//! |---|---|
//! | `lutN` | entries of the exponential's table, a power of two from 4 to 256; 32 if absent |
//! | `nointerp` | no interpolation between entries |
//! | `div=restoring`, `div=newton`, `div=exact` | how the quotient is computed; restoring if absent |
//! | `noguard` | nothing is added to the denominator, which is never 0 in a stream of `w <= 0` |
//!
//! The same spec as a TOML file, of which only `format` is required:
//!
//! ```toml
//! format = "q8.8"
//! division = "restoring"
//! guard = true
//!
//! [exp2]
//! entries = 32
//! interpolate = true
//! ```

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest TOML file of a spec: 1 MiB.
const MOST_BYTES: u64 = 1 << 20;

/// Why a spec was refused.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The text does not begin with a known family.
    #[error(
        "unknown numerics \"{0}\": expected \"float\", \"classic:qM.F\" with options (such as \
         classic:q8.8:lut64), or a path that ends in .toml"
    )]
    Family(String),
    /// The format is missing or outside the family.
    #[error(
        "unknown format \"{0}\": expected qM.F with M + F = 16 and F from 2 to 14, such as q8.8"
    )]
    Format(String),
    /// An option that no spec has.
    #[error(
        "unknown option \"{0}\": expected lutN, nointerp, div=restoring, div=newton, div=exact or noguard"
    )]
    Option(String),
    /// Two options set one field.
    #[error("\"{spec}\" sets {field} twice: give one option for it")]
    Repeated {
        /// The whole text.
        spec: String,
        /// The field, in words.
        field: &'static str,
    },
    /// The table of the exponential has an unusable number of entries.
    #[error("a table of \"{0}\" entries is not available: choose 4, 8, 16, 32, 64, 128 or 256")]
    Entries(String),
    /// A divider that there is not.
    #[error("unknown division \"{0}\": choose restoring, newton or exact")]
    UnknownDivision(String),
    /// The TOML file could not be read.
    #[error("cannot read the spec {}: {reason}; expected a TOML file", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The TOML file does not describe a spec.
    #[error("the spec {} is not valid: {reason}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// The line, the key and what was expected.
        reason: Box<toml::de::Error>,
    },
}

/// One point of the numerics space: what the integer model and the circuit compute, to the bit.
///
/// Its [`Display`](fmt::Display), and its form in JSON, is the shortest text that parses back.
///
/// ```
/// use wkv::spec::{Division, Format, WkvSpec};
///
/// let mut spec = WkvSpec::classic(Format::new(8)?);
/// spec.division = Division::Exact;
/// assert_eq!(spec.to_string(), "classic:q8.8:div=exact");
/// assert_eq!(spec, "classic:q8.8:lut32:div=exact".parse()?);
/// # Ok::<(), wkv::spec::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub struct WkvSpec {
    /// The format of every register.
    pub format: Format,
    /// How `2^-x` is computed.
    pub exp2: Exp2,
    /// How the quotient is computed.
    pub division: Division,
    /// Whether one is added to the raw denominator. In a stream of `w <= 0` the denominator is at
    /// least 1.0 without it.
    pub guard: bool,
}

/// A spec as the tables of a TOML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecFile {
    format: Format,
    #[serde(default)]
    exp2: Exp2,
    #[serde(default)]
    division: Division,
    #[serde(default = "guarded")]
    guard: bool,
}

/// The guard of a file that says nothing of it.
fn guarded() -> bool {
    true
}

impl WkvSpec {
    /// The classic numerics in `format`: 32 entries, interpolated, restoring division, guarded.
    pub fn classic(format: Format) -> Self {
        Self { format, exp2: Exp2::default(), division: Division::default(), guard: true }
    }

    /// The spec that a command line names: text, or the path of a TOML file ending in `.toml`.
    ///
    /// # Errors
    /// If the text is no spec, or the file cannot be read or holds none.
    pub fn resolve(argument: &str) -> Result<Self, SpecError> {
        let path = Path::new(argument);
        if path.extension().is_some_and(|extension| extension == "toml") {
            Self::read_toml(path)
        } else {
            argument.parse()
        }
    }

    /// Reads a TOML file, as in the [module documentation](self).
    ///
    /// # Errors
    /// If the file cannot be read, has an unknown key, or a value out of range.
    pub fn read_toml(path: &Path) -> Result<Self, SpecError> {
        let text = crate::file::read_text(path, MOST_BYTES)
            .map_err(|reason| SpecError::Read { path: path.to_owned(), reason })?;
        let SpecFile { format, exp2, division, guard } =
            toml::from_str(&text).map_err(|reason| SpecError::Toml {
                path: path.to_owned(),
                reason: Box::new(reason),
            })?;
        Ok(Self { format, exp2, division, guard })
    }

    /// Sets one field from its option and tells which field it was.
    fn set(&mut self, option: &str) -> Result<&'static str, SpecError> {
        if let Some(entries) = option.strip_prefix("lut") {
            self.exp2.entries = Exp2::parse_entries(entries)?;
            Ok("the table size")
        } else if option == "nointerp" {
            self.exp2.interpolate = false;
            Ok("the interpolation")
        } else if let Some(division) = option.strip_prefix("div=") {
            self.division = division.parse()?;
            Ok("the division")
        } else if option == "noguard" {
            self.guard = false;
            Ok("the guard")
        } else {
            Err(SpecError::Option(option.to_owned()))
        }
    }
}

impl fmt::Display for WkvSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "classic:{}", self.format)?;
        if self.exp2.entries != Exp2::default().entries {
            write!(f, ":lut{}", self.exp2.entries)?;
        }
        if !self.exp2.interpolate {
            write!(f, ":nointerp")?;
        }
        if self.division != Division::default() {
            write!(f, ":div={}", self.division)?;
        }
        if !self.guard {
            write!(f, ":noguard")?;
        }
        Ok(())
    }
}

impl FromStr for WkvSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(':');
        if parts.next() != Some("classic") {
            return Err(SpecError::Family(text.to_owned()));
        }
        let mut spec = Self::classic(parts.next().unwrap_or_default().parse()?);
        let mut already_set = Vec::new();
        for option in parts {
            let field = spec.set(option)?;
            if already_set.contains(&field) {
                return Err(SpecError::Repeated { spec: text.to_owned(), field });
            }
            already_set.push(field);
        }
        Ok(spec)
    }
}

impl From<WkvSpec> for String {
    fn from(spec: WkvSpec) -> Self {
        spec.to_string()
    }
}

impl TryFrom<String> for WkvSpec {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

/// A signed 16-bit fixed-point format, `qM.F`: `M` integer bits with the sign, `F` fraction bits.
///
/// A raw integer `r` stands for the real number `r / 2^F`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Format {
    fraction_bits: u32,
}

impl Format {
    /// The format with `fraction_bits` of its 16 bits after the point.
    ///
    /// # Errors
    /// If `fraction_bits` is not from 2 to 14.
    pub fn new(fraction_bits: u32) -> Result<Self, SpecError> {
        if (2..=14).contains(&fraction_bits) {
            Ok(Self { fraction_bits })
        } else {
            let integer_bits = 16 - i64::from(fraction_bits);
            Err(SpecError::Format(format!("q{integer_bits}.{fraction_bits}")))
        }
    }

    /// Every format there is, by rising fraction bits.
    pub fn all() -> impl Iterator<Item = Self> {
        (2..=14).map(|fraction_bits| Self { fraction_bits })
    }

    /// All bits of a raw integer, its sign included.
    pub fn bits(self) -> u32 {
        16
    }

    /// Bits before the point, the sign included.
    pub fn integer_bits(self) -> u32 {
        self.bits() - self.fraction_bits
    }

    /// Bits after the point.
    pub fn fraction_bits(self) -> u32 {
        self.fraction_bits
    }

    /// The least raw integer.
    pub fn min(self) -> i32 {
        -(1 << (self.bits() - 1))
    }

    /// The greatest raw integer.
    pub fn max(self) -> i32 {
        (1 << (self.bits() - 1)) - 1
    }

    /// The raw integer that stands for 1.
    pub fn one(self) -> i32 {
        1 << self.fraction_bits
    }

    /// The real number that raw 1 stands for, `2^-F`.
    pub fn resolution(self) -> f64 {
        1.0 / f64::from(self.one())
    }

    /// Clamps to the range of raw integers.
    #[inline(always)]
    pub fn saturate(self, raw: i32) -> i32 {
        raw.clamp(self.min(), self.max())
    }

    /// Whether `raw` is within the range of raw integers.
    #[inline(always)]
    pub fn holds(self, raw: i32) -> bool {
        self.saturate(raw) == raw
    }

    /// The nearest raw integer, halves upward, clamped: `sat(floor(x * 2^F + 1/2))`, exactly.
    ///
    /// Also tells whether the value did not fit. Infinities clamp like other values that do not
    /// fit; a NaN becomes 0 and does not fit.
    #[inline(always)]
    pub fn quantise(self, x: f64) -> (i32, bool) {
        let scaled = x * f64::from(self.one());
        let floor = scaled.floor();
        // `scaled + 0.5` could round up to the next integer; this comparison never errs.
        let rounded = floor + f64::from(u8::from(scaled - floor >= 0.5));
        let (min, max) = (f64::from(self.min()), f64::from(self.max()));
        let fits = rounded >= min && rounded <= max;
        (rounded.clamp(min, max) as i32, !fits)
    }

    /// The real number that `raw` stands for: `raw / 2^F`, exactly.
    #[inline(always)]
    pub fn to_real(self, raw: i32) -> f64 {
        f64::from(raw) * self.resolution()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}.{}", self.integer_bits(), self.fraction_bits())
    }
}

impl FromStr for Format {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::all()
            .find(|format| format.to_string() == text)
            .ok_or_else(|| SpecError::Format(text.to_owned()))
    }
}

impl TryFrom<String> for Format {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

/// How `2^-x` is computed: a table of `2^-(i/entries)`, then a shift by the integer part of `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exp2 {
    #[serde(deserialize_with = "deserialize_entries")]
    entries: u32,
    /// Whether the result is interpolated between neighbouring entries. Where the table has an
    /// entry for every fraction there is nothing to interpolate.
    pub interpolate: bool,
}

impl Exp2 {
    /// The same with a table of `entries` steps from 1 down to 1/2.
    ///
    /// # Errors
    /// If `entries` is not a power of two from 4 to 256.
    pub fn with_entries(self, entries: u32) -> Result<Self, SpecError> {
        let entries = Self::parse_entries(&entries.to_string())?;
        Ok(Self { entries, ..self })
    }

    /// Number of steps in the table, a power of two from 4 to 256.
    pub fn entries(self) -> u32 {
        self.entries
    }

    /// Every number of steps there is.
    pub fn all_entries() -> impl Iterator<Item = u32> {
        (2..=8).map(|log2| 1 << log2)
    }

    fn parse_entries(text: &str) -> Result<u32, SpecError> {
        Self::all_entries()
            .find(|entries| entries.to_string() == text)
            .ok_or_else(|| SpecError::Entries(text.to_owned()))
    }
}

impl Default for Exp2 {
    fn default() -> Self {
        Self { entries: 32, interpolate: true }
    }
}

fn deserialize_entries<'de, D: serde::Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    let entries = i64::deserialize(input)?;
    Exp2::parse_entries(&entries.to_string()).map_err(serde::de::Error::custom)
}

/// How the quotient `n / d` becomes a raw integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Division {
    /// `sign(n) * floor(|n| * 2^F / d)`, what a restoring divider computes: toward zero.
    #[default]
    Restoring,
    /// The same number, from a [reciprocal](crate::fixed::newton) and its remainder.
    Newton,
    /// `floor(n * 2^F / d + 1/2)`: to nearest, halves upward.
    Exact,
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Restoring => "restoring",
            Self::Newton => "newton",
            Self::Exact => "exact",
        })
    }
}

impl FromStr for Division {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text {
            "restoring" => Ok(Self::Restoring),
            "exact" => Ok(Self::Exact),
            "newton" => Ok(Self::Newton),
            _ => Err(SpecError::UnknownDivision(text.to_owned())),
        }
    }
}
