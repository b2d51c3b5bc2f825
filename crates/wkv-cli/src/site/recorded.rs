//! Keys and values of the embedded model on its text, for the page of one channel.

use rwkv::model::END_OF_TEXT;
use rwkv::{LanguageModel, Model};
use serde::Serialize;
use wkv::Arithmetic;

use super::Site;
use crate::embedded;
use crate::failure::Failure;

/// Number of tokens of a stream.
const TOKENS: usize = 256;

/// What was recorded, `recorded/index.json`.
#[derive(Debug, Serialize)]
struct Index {
    model: String,
    text: String,
    tokens: usize,
    blocks: usize,
    channels: usize,
    /// Bonus, base 2, `[block][channel]`.
    u: Vec<Vec<f64>>,
    /// Decay, base 2, `[block][channel]`.
    w: Vec<Vec<f64>>,
}

/// Adds the streams of each block of the model of this `name`, `recorded/block-N.bin`: keys (base 2) as `[token][channel]`,
/// then values likewise, little-endian f32, as the float model gives them.
///
/// # Errors
/// If the text has no tokens.
pub fn add(site: &mut Site, name: String, language_model: &LanguageModel) -> Result<(), Failure> {
    let (text, documents) = embedded::documents(None)?;
    let mut tokens = Vec::new();
    for document in &documents.texts {
        tokens.push(END_OF_TEXT);
        tokens.extend(language_model.tokenizer.encode(document)?);
        if tokens.len() >= TOKENS {
            break;
        }
    }
    tokens.truncate(TOKENS);

    let model = &language_model.model;
    for (block, stream) in record(model, &tokens).into_iter().enumerate() {
        let bytes: Vec<u8> = stream.iter().flat_map(|x| x.to_le_bytes()).collect();
        site.add(format!("recorded/block-{block}.bin"), bytes);
    }
    let sizes = model.sizes();
    let (u, w) = model.bonus_and_decay().map(|(u, w)| (u.to_vec(), w.to_vec())).unzip();
    let index = Index {
        model: name,
        text,
        tokens: tokens.len(),
        blocks: sizes.blocks,
        channels: sizes.channels,
        u,
        w,
    };
    site.add_json("recorded/index.json", &index);
    Ok(())
}

/// Keys and values of each block.
fn record(model: &Model, tokens: &[u32]) -> Vec<Vec<f32>> {
    let mut streams = Vec::new();
    model.hidden(tokens, &mut model.start(&Arithmetic::Float), |attention| {
        streams.push([attention.k, attention.v].concat());
    });
    streams
}
