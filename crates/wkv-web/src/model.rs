//! The language model: loaded, prompted, and told to go on.

use std::ops::ControlFlow;

use rwkv::generate::{Continuation, End, Options};
use rwkv::linear::Weights;
use rwkv::{Checkpoint, byte_pairs, eval, generate, repetition};
use wasm_bindgen::prelude::*;
use wkv::arithmetic::PUBLISHED;
use wkv::circuit::gates::Gates;
use wkv::spec::Format;
use wkv::{Arithmetic, WkvSpec};

/// A model that is ready to run.
#[wasm_bindgen]
pub struct Model(rwkv::Model);

#[wasm_bindgen]
impl Model {
    /// Reads a checkpoint in any format that the command line reads; `name` names it in errors.
    /// Its matrices are kept in 8 bits if `int8`.
    ///
    /// # Errors
    /// If the file is no checkpoint of an RWKV-v4 model, or damaged.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, weights: &[u8], int8: bool) -> Result<Model, String> {
        let checkpoint =
            Checkpoint::from_bytes(name, weights).map_err(|error| error.to_string())?;
        let weights = if int8 { Weights::Int8 } else { Weights::F32 };
        Ok(Self(rwkv::Model::from(checkpoint).with_weights(weights)))
    }

    /// Number of blocks.
    #[wasm_bindgen(getter)]
    pub fn blocks(&self) -> usize {
        self.0.sizes().blocks
    }

    /// Number of channels.
    #[wasm_bindgen(getter)]
    pub fn channels(&self) -> usize {
        self.0.sizes().channels
    }

    /// Number of tokens in the vocabulary.
    #[wasm_bindgen(getter)]
    pub fn vocabulary(&self) -> usize {
        self.0.sizes().vocabulary
    }

    /// Bytes that a token reads of the matrices.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Whether all `tokens` are in the vocabulary.
    fn check(&self, tokens: &[u32]) -> Result<(), String> {
        let vocabulary = self.vocabulary();
        match tokens.iter().find(|&&token| token as usize >= vocabulary) {
            Some(token) => Err(format!("token {token} is none of the model's {vocabulary}")),
            None => Ok(()),
        }
    }
}

/// What is wrong with the content of a `tokenizer.json`; none if it is of the kind that is read.
#[wasm_bindgen]
pub fn refused_tokenizer(file: &[u8]) -> Option<String> {
    byte_pairs::check(file).err()
}

/// What a name of [`Numerics`] says: the arithmetic, and whether the gates compute it.
fn named(name: &str) -> Result<(Arithmetic, bool), String> {
    let (name, by_gates) = match name.strip_suffix(BY_GATES) {
        Some(name) => (name, true),
        None => (name, false),
    };
    let arithmetic: Arithmetic =
        name.parse().map_err(|error: wkv::spec::SpecError| error.to_string())?;
    match arithmetic {
        Arithmetic::Float | Arithmetic::Exact(_) if by_gates => Err(format!(
            "no circuit computes {arithmetic}; expected a fixed-point spec such as classic:q8.8"
        )),
        _ => Ok((arithmetic, by_gates)),
    }
}

/// The end of a name whose arithmetic the gates compute.
const BY_GATES: &str = "@gates";

/// The name of [`Numerics`] in its shortest form.
///
/// # Errors
/// As for [`Numerics::new`].
#[wasm_bindgen]
pub fn checked_numerics(name: &str) -> Result<String, String> {
    let (arithmetic, by_gates) = named(name)?;
    Ok(format!("{arithmetic}{}", if by_gates { BY_GATES } else { "" }))
}

/// Names worth trying: those published beside float, plain formats first, then every other format.
#[wasm_bindgen]
pub fn presets() -> Vec<String> {
    let formats: Vec<String> =
        Format::all().map(|format| WkvSpec::classic(format).to_string()).collect();
    let published = PUBLISHED.into_iter().filter(|name| *name != "float").map(str::to_owned);
    let (plain, with_options): (Vec<_>, Vec<_>) =
        published.partition(|name| formats.contains(name));
    let others: Vec<String> = formats.into_iter().filter(|name| !plain.contains(name)).collect();
    [plain, with_options, others].concat()
}

/// An arithmetic of the recurrence, and what computes it.
#[wasm_bindgen]
pub struct Numerics(Box<dyn wkv::Numerics>);

#[wasm_bindgen]
impl Numerics {
    /// Reads the name of an arithmetic: `float` or a spec, computed by the integer model or, with
    /// `@gates` after it, by its circuit.
    ///
    /// # Errors
    /// If it is neither, or no circuit computes it.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Numerics, String> {
        Ok(Self(match named(name)? {
            (Arithmetic::Fixed(spec), true) => Box::new(Gates::new(&spec)),
            (arithmetic, _) => Box::new(arithmetic),
        }))
    }
}

/// A story that is being told.
#[wasm_bindgen]
pub struct Story {
    continuation: Continuation,
    tokens: Vec<u32>,
    end: Option<End>,
}

#[wasm_bindgen]
impl Story {
    /// Nothing read and nothing told; at most `tokens` will be.
    ///
    /// # Errors
    /// If an option is out of range.
    #[wasm_bindgen(constructor)]
    pub fn new(
        model: &Model,
        numerics: &Numerics,
        tokens: usize,
        temperature: f64,
        top_p: f64,
        seed: u64,
    ) -> Result<Story, String> {
        let options = Options { tokens, temperature, top_p, seed };
        let continuation = Continuation::new(&model.0, &*numerics.0, options)
            .map_err(|error| error.to_string())?;
        Ok(Self { continuation, tokens: Vec::new(), end: None })
    }

    /// Reads tokens of the prompt, which may come in pieces.
    ///
    /// # Errors
    /// If a token is none of the model's.
    pub fn read(&mut self, model: &Model, tokens: &[u32]) -> Result<(), String> {
        model.check(tokens)?;
        self.continuation.read(&model.0, tokens);
        Ok(())
    }

    /// The next token; none if the story is at its end.
    ///
    /// # Errors
    /// If the model's predictions are not finite.
    pub fn next(&mut self, model: &Model) -> Result<Option<u32>, String> {
        Ok(match self.continuation.next(&model.0).map_err(|error| error.to_string())? {
            ControlFlow::Continue(token) => {
                self.tokens.push(token);
                Some(token)
            }
            ControlFlow::Break(end) => {
                self.end = Some(end);
                None
            }
        })
    }

    /// Whether the model itself ended the text.
    #[wasm_bindgen(getter)]
    pub fn ended_by_model(&self) -> bool {
        self.end == Some(End::EndOfText)
    }

    /// The share of 4-grams of tokens that occurred before in the story; none of fewer than 4.
    #[wasm_bindgen(getter)]
    pub fn rep_4(&self) -> Option<f64> {
        repetition::repeated(&self.tokens, 4)
    }

    /// The share of different bigrams among the story's; none of fewer than 2 tokens.
    #[wasm_bindgen(getter)]
    pub fn distinct_2(&self) -> Option<f64> {
        repetition::distinct(&self.tokens, 2)
    }
}

/// Another arithmetic that reads what a story's draws, and predicts each token of it.
#[wasm_bindgen]
pub struct Reader(generate::Reader);

#[wasm_bindgen]
impl Reader {
    /// Nothing read.
    #[wasm_bindgen(constructor)]
    pub fn new(model: &Model, numerics: &Numerics) -> Reader {
        Self(generate::Reader::new(&model.0, &*numerics.0))
    }

    /// Reads tokens.
    ///
    /// # Errors
    /// If a token is none of the model's.
    pub fn read(&mut self, model: &Model, tokens: &[u32]) -> Result<(), String> {
        model.check(tokens)?;
        self.0.read(&model.0, tokens);
        Ok(())
    }

    /// Takes the last token of `story`, whose tokens it has taken so far: the Kullback-Leibler
    /// divergence of its own prediction of that token from the story's, in nats.
    pub fn follow(&mut self, model: &Model, story: &Story) -> f64 {
        let divergence = eval::divergence(story.continuation.logits(), self.0.logits(&model.0));
        if let Some(&token) = story.tokens.last() {
            self.0.push(token);
        }
        divergence
    }
}
