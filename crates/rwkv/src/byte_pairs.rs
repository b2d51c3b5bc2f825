//! Which files of tokenizers are of the kind that is read here: byte-level byte-pair encoding.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Tells what is of another kind in the content of a `tokenizer.json`, or damaged.
///
/// # Errors
/// If the file is no JSON, or its tokenizer is not byte-level byte-pair encoding.
pub fn check(file: &[u8]) -> Result<(), String> {
    let parts: Parts = serde_json::from_slice(file).map_err(|error| error.to_string())?;
    parts.check()
}

/// What decides about the kind.
#[derive(Deserialize)]
struct Parts {
    normalizer: Option<Part>,
    pre_tokenizer: Part,
    decoder: Part,
    model: PairEncoding,
}

/// A part of a tokenizer.
#[derive(Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
enum Part {
    /// Brings composed characters to one form.
    #[serde(rename = "NFC")]
    Composition {},
    /// Maps bytes to printable characters, or back.
    ByteLevel {
        #[serde(default, rename = "add_prefix_space")]
        _add_prefix_space: bool,
        #[serde(default, rename = "trim_offsets")]
        _trim_offsets: bool,
        #[serde(default, rename = "use_regex")]
        _use_regex: bool,
    },
}

/// Byte-pair encoding: tokens, and which two of them become which.
#[derive(Deserialize)]
struct PairEncoding {
    r#type: String,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    end_of_word_suffix: Option<String>,
    vocab: BTreeMap<String, u32>,
    merges: Vec<Merge>,
}

/// Two tokens, apart or with a space between.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Pair(String, String),
    Text(String),
}

impl Parts {
    /// Tells what is of another kind, or would not be checked later.
    fn check(&self) -> Result<(), String> {
        let Self { normalizer, pre_tokenizer, decoder, model } = self;
        if matches!(normalizer, Some(Part::ByteLevel { .. })) {
            return Err("the normalizer is no NFC".to_owned());
        }
        if [pre_tokenizer, decoder].iter().any(|part| matches!(part, Part::Composition {})) {
            return Err("a part after the normalizer is no ByteLevel".to_owned());
        }
        model.check()
    }
}

impl PairEncoding {
    fn check(&self) -> Result<(), String> {
        if self.r#type != "BPE" {
            return Err(format!("the model is of type {:?}", self.r#type));
        }
        let affixes = [&self.continuing_subword_prefix, &self.end_of_word_suffix];
        if affixes.into_iter().flatten().any(|affix| !affix.is_empty()) {
            return Err("its tokens have prefixes or suffixes".to_owned());
        }
        let lost = self.merges.iter().map(Merge::token).find(|token| !self.has(token));
        lost.map_or(Ok(()), |token| Err(format!("a merge gives {token:?}, which is no token")))
    }

    fn has(&self, token: &str) -> bool {
        self.vocab.contains_key(token)
    }
}

impl Merge {
    /// The token that the two become.
    fn token(&self) -> String {
        match self {
            Self::Pair(left, right) => format!("{left}{right}"),
            Self::Text(pair) => pair.replacen(' ', "", 1),
        }
    }
}
