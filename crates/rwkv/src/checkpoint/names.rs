//! BlinkDL's names of tensors, and those of Hugging Face's `RwkvForCausalLM`.

/// Who named a checkpoint's tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// `blocks.0.att.key.weight`, as BlinkDL's trainer and rwkv.cpp write them.
    #[default]
    Blinkdl,
    /// `rwkv.blocks.0.attention.key.weight`, as the library transformers writes them.
    HuggingFace,
}

/// What Hugging Face's names begin with.
pub(super) const PREFIX: &str = "rwkv.";

/// Parts of names outside blocks: BlinkDL's and Hugging Face's.
const OUTSIDE: [(&str, &str); 2] = [("emb.", "embeddings."), ("ln_out.", "ln_out.")];

/// Parts of names within a block. `ln0` is in block 0 only.
const INSIDE: [(&str, &str); 3] =
    [("ln0.", "pre_ln."), ("att.", "attention."), ("ffn.", "feed_forward.")];

/// The ends of names of token shifts.
const MIXES: [(&str, &str); 3] = [
    ("time_mix_k", "time_mix_key"),
    ("time_mix_v", "time_mix_value"),
    ("time_mix_r", "time_mix_receptance"),
];

/// BlinkDL's name for a tensor that Hugging Face calls `name`; none if it is no such name.
pub(super) fn blinkdl(name: &str) -> Option<String> {
    let name = name.strip_prefix(PREFIX)?;
    let Some((number, inside)) = name.strip_prefix("blocks.").and_then(|rest| rest.split_once('.'))
    else {
        return replace_start(name, &swapped(OUTSIDE));
    };
    let inside = replace_start(inside, &swapped(INSIDE)).unwrap_or_else(|| inside.to_owned());
    Some(format!("blocks.{number}.{}", replace_end(&inside, &swapped(MIXES))))
}

/// Hugging Face's name for a tensor of BlinkDL's name.
pub(super) fn hugging_face(name: &str) -> String {
    let Some((number, inside)) = name.strip_prefix("blocks.").and_then(|rest| rest.split_once('.'))
    else {
        let outside = replace_start(name, &OUTSIDE).map(|name| format!("{PREFIX}{name}"));
        // The head stands beside the network.
        return outside.unwrap_or_else(|| name.to_owned());
    };
    let inside = replace_start(inside, &INSIDE).unwrap_or_else(|| inside.to_owned());
    format!("{PREFIX}blocks.{number}.{}", replace_end(&inside, &MIXES))
}

fn swapped<'a, const N: usize>(pairs: [(&'a str, &'a str); N]) -> [(&'a str, &'a str); N] {
    pairs.map(|(one, other)| (other, one))
}

fn replace_start(name: &str, pairs: &[(&str, &str)]) -> Option<String> {
    pairs.iter().find_map(|(from, to)| Some(format!("{to}{}", name.strip_prefix(from)?)))
}

fn replace_end(name: &str, pairs: &[(&str, &str)]) -> String {
    let replaced =
        pairs.iter().find_map(|(from, to)| Some(format!("{}{to}", name.strip_suffix(from)?)));
    replaced.unwrap_or_else(|| name.to_owned())
}
