//! One line of a file of records.

use rwkv::eval::{ArmPart, DocumentResult, POSITION_BUCKETS, PositionErrors, ReferencePart};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wkv::stats::{Counts, ErrorStats};

use crate::sweep::identity::{Identity, digest_of};
use crate::sweep::name::ArmName;

/// The version of the form of the lines.
pub const VERSION: u32 = 1;

/// One line, as JSON.
#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "lowercase")]
pub enum Line {
    /// The first line, and the first after each time that the sweep was taken up.
    Sweep(Header),
    /// What the float model gave on a sequence.
    Float(FloatRecord),
    /// What an arm gave on a sequence.
    Arm(ArmRecord),
}

/// What the lines below it are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub version: u32,
    /// The version of the program.
    pub wkv: String,
    /// The model and the sequences.
    #[serde(flatten)]
    pub identity: Identity,
    /// The arms that were asked for.
    pub arms: Vec<ArmName>,
}

impl Header {
    /// The header of a sweep by this program.
    pub fn new(identity: Identity, arms: Vec<ArmName>) -> Self {
        Self { version: VERSION, wkv: env!("CARGO_PKG_VERSION").to_owned(), identity, arms }
    }

    /// What every line of the sweep carries: a digest of the model, the text, their sizes, and the
    /// program.
    pub fn sweep(&self) -> String {
        let Identity { model_digest, text_digest, .. } = &self.identity;
        let Identity { documents, context, sequences, tokens, blocks, channels, .. } =
            self.identity;
        let sizes = format!("{documents} {context:?} {sequences} {tokens} {blocks} {channels}");
        digest_of(&[&self.version.to_string(), &self.wkv, model_digest, text_digest, &sizes])
    }
}

/// What the float model gave on a sequence.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloatRecord {
    /// [`Header::sweep`].
    pub sweep: String,
    /// Number of the document or sequence, from 1.
    pub document: usize,
    tokens: u64,
    nll: Exact,
    /// Size of the output of each block, by position.
    signal: Vec<Positions>,
}

/// What an arm gave on a sequence.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmRecord {
    /// [`Header::sweep`].
    pub sweep: String,
    /// Number of the document or sequence, from 1.
    pub document: usize,
    /// The arm.
    pub arm: ArmName,
    nll: Exact,
    kl: Exact,
    kl_max: Exact,
    top1_agreements: u64,
    /// Error of the output of each block, by position.
    errors: Vec<Positions>,
    /// Saturations and underflows of each block.
    counts: Vec<Counts>,
}

/// A number that is read back to the bit: its shortest decimal form, as text, for parsers of JSON
/// may miss the last bit of a number.
#[derive(Clone, Copy)]
struct Exact(f64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:?}", self.0))
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Self(number)),
            _ => Err(serde::de::Error::custom(format_args!("\"{text}\" is no finite number"))),
        }
    }
}

/// Count, sum of squares and greatest magnitude of each bucket of positions that was reached.
#[derive(Serialize, Deserialize)]
struct Positions(Vec<(u64, Exact, Exact)>);

impl From<&PositionErrors> for Positions {
    fn from(errors: &PositionErrors) -> Self {
        let reached = errors.iter().take_while(|error| error.count > 0);
        let part =
            |error: &ErrorStats| (error.count, Exact(error.sum_of_squares), Exact(error.max_abs));
        Self(reached.map(part).collect())
    }
}

impl Positions {
    /// The errors, unless there are more buckets than positions have.
    fn errors(&self) -> Option<PositionErrors> {
        let mut errors = PositionErrors::default();
        let buckets = errors.get_mut(..self.0.len())?;
        for (error, &(count, sum_of_squares, max_abs)) in buckets.iter_mut().zip(&self.0) {
            *error = ErrorStats { count, sum_of_squares: sum_of_squares.0, max_abs: max_abs.0 };
        }
        Some(errors)
    }
}

/// The errors of every one of `blocks`.
fn errors(positions: &[Positions], blocks: usize) -> Result<Vec<PositionErrors>, String> {
    if positions.len() != blocks {
        return Err(format!("it has {} blocks; expected {blocks}", positions.len()));
    }
    let errors: Option<Vec<_>> = positions.iter().map(Positions::errors).collect();
    let most = POSITION_BUCKETS.len();
    errors.ok_or_else(|| format!("it has more places than there are; expected at most {most}"))
}

impl FloatRecord {
    /// The record of a part.
    pub fn new(sweep: &str, document: usize, part: &ReferencePart) -> Self {
        Self {
            sweep: sweep.to_owned(),
            document,
            tokens: part.tokens,
            nll: Exact(part.nll),
            signal: part.signal.iter().map(Positions::from).collect(),
        }
    }

    /// The part, of a model with so many blocks.
    pub fn part(&self, blocks: usize) -> Result<ReferencePart, String> {
        if self.tokens == 0 {
            return Err("it predicts no token; expected at least one".to_owned());
        }
        let signal = errors(&self.signal, blocks)?;
        Ok(ReferencePart { tokens: self.tokens, nll: self.nll.0, signal })
    }
}

impl ArmRecord {
    /// The record of a part.
    pub fn new(sweep: &str, document: usize, arm: ArmName, part: &ArmPart) -> Self {
        let DocumentResult { nll, kl, kl_max, top1_agreements } = part.result;
        Self {
            sweep: sweep.to_owned(),
            document,
            arm,
            nll: Exact(nll),
            kl: Exact(kl),
            kl_max: Exact(kl_max),
            top1_agreements,
            errors: part.errors.iter().map(Positions::from).collect(),
            counts: part.counts.clone(),
        }
    }

    /// The part, of a model with so many blocks.
    pub fn part(&self, blocks: usize) -> Result<ArmPart, String> {
        let errors = errors(&self.errors, blocks)?;
        if self.counts.len() != blocks {
            return Err(format!("it counts {} blocks; expected {blocks}", self.counts.len()));
        }
        let result = DocumentResult {
            nll: self.nll.0,
            kl: self.kl.0,
            kl_max: self.kl_max.0,
            top1_agreements: self.top1_agreements,
        };
        Ok(ArmPart { result, errors, counts: self.counts.clone() })
    }
}
