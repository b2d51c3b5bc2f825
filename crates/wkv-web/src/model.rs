//! The language model: loaded, prompted, and told to go on.

use wasm_bindgen::prelude::*;

/// Number of gates of the cell of `spec`.
///
/// # Errors
/// If `spec` is not a spec.
#[wasm_bindgen]
pub fn build(spec: &str) -> Result<usize, String> {
    let spec: wkv::WkvSpec = spec.parse().map_err(|e: wkv::spec::SpecError| e.to_string())?;
    Ok(wkv::circuit::gates::Gates::new(&spec).program().operations())
}

/// Logits.
///
/// # Errors
/// If it is no checkpoint.
#[wasm_bindgen]
pub fn logits(weights: &[u8], tokens: &[u32]) -> Result<Vec<f32>, String> {
    let model: rwkv::Model =
        rwkv::Checkpoint::from_bytes("model", weights).map_err(|e| e.to_string())?.into();
    let mut state = model.start(&wkv::Arithmetic::Float);
    Ok(model.forward(tokens, &mut state))
}
