//! How large the keys and values of a model are.

use rwkv::model::END_OF_TEXT;
use serde::{Deserialize, Serialize};
use wkv::Arithmetic;
use wkv::stats::ErrorStats;

use crate::context::Context;
use crate::failure::Failure;
use crate::report::subject::Subject;

/// Documents that are looked at, and tokens of each: enough for two digits.
const DOCUMENTS: usize = 20;
const TOKENS: usize = 512;

/// RMS of what the recurrence of all blocks takes in the float model, on the first documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InputScale {
    /// Of the keys, base 2.
    pub keys: f64,
    /// Of the values.
    pub values: f64,
}

impl InputScale {
    /// Measures the model of `subject` on its first documents.
    pub fn of(subject: &Subject, context: &Context) -> Result<Self, Failure> {
        let model = &subject.language_model.model;
        let [mut keys, mut values] = [ErrorStats::default(); 2];
        for document in subject.documents.iter().take(DOCUMENTS) {
            let tokens = [&[END_OF_TEXT], &document[..]].concat();
            let tokens = &tokens[..tokens.len().min(TOKENS)];
            model.hidden(tokens, &mut model.start(&Arithmetic::Float), |attention| {
                let zeros = vec![0.0; attention.k.len()];
                keys += ErrorStats::between(&zeros, attention.k);
                values += ErrorStats::between(&zeros, attention.v);
            });
            context.interrupt.check()?;
        }
        Ok(Self { keys: keys.rms(), values: values.rms() })
    }
}
