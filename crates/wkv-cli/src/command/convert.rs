//! `wkv convert`: a checkpoint in another format.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rwkv::checkpoint::{CheckpointFile, ElementType, Format, Names, Sizes, Target};
use rwkv::language_model::weights_file;
use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output::is_stdout;

/// Arguments of `wkv convert`.
#[derive(Args)]
#[command(after_help = "\
Reads safetensors, what torch.save writes, and rwkv.cpp's format, with the tensor names of BlinkDL
or of Hugging Face; the content of a file tells its format. Base 2 means w2 = -e^time_decay log2 e
in place of time_decay, u2 = time_first log2 e, and log2 e folded into the key matrix; such files
are marked, and every command reads them.

Example:
  wkv convert RWKV-4-Pile-169M.pth model.safetensors --type f16")]
pub struct Arguments {
    /// The checkpoint, or the folder of a model
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help = "safetensors, pytorch or rwkv-cpp [default: by the ending of OUT: .safetensors; \
                  .pth or .pt; .bin for rwkv-cpp]"
    )]
    format: Option<FormatName>,
    /// Who names the tensors: blinkdl or hugging-face [default: as before]
    #[arg(long, value_enum, value_name = "NAMES", hide_possible_values = true)]
    names: Option<NamesName>,
    /// How weights are stored: f32, f16 or bf16; q5_0 or q5_1 for rwkv.cpp [default: as before]
    #[arg(long = "type", value_enum, value_name = "TYPE", hide_possible_values = true)]
    element_type: Option<TypeName>,
    /// Make the exponents of the recurrence exponents of 2
    #[arg(long)]
    base2: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    Safetensors,
    Pytorch,
    RwkvCpp,
}

#[derive(Clone, Copy, ValueEnum)]
enum NamesName {
    Blinkdl,
    HuggingFace,
}

#[derive(Clone, Copy, ValueEnum)]
enum TypeName {
    F32,
    F16,
    Bf16,
    #[value(name = "q5_0")]
    Q5_0,
    #[value(name = "q5_1")]
    Q5_1,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Converted {
    input: String,
    output: String,
    format: Format,
    names: Names,
    base2: bool,
    /// The format and the names before.
    from: Before,
    sizes: Sizes,
    parameters: u64,
    tensors: usize,
    /// Tensors of each element type.
    element_types: Vec<TypeCount>,
}

#[derive(Serialize)]
struct Before {
    format: Format,
    names: Names,
}

#[derive(Serialize)]
struct TypeCount {
    r#type: String,
    tensors: usize,
}

/// Runs `wkv convert`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { input, output, format, names, element_type, base2 } = arguments;
    let format = format.map(Format::from).or_else(|| format_of(&output));
    let format = format.ok_or_else(|| {
        Failure::input(format!(
            "{}: its name does not tell its format; expected the ending .safetensors, .pth or .bin, \
             or --format",
            output.display()
        ))
    })?;
    let weights = weights_file(&input)?;
    let name = weights.display().to_string();
    let mut out = context.output_file("OUT", &output)?;
    let progress = context.progress("reading: tensors", 0);
    let watch = move |done, total| {
        // Whoever waits for the reader asks for the stop.
        let _ = progress.set_of(done, total);
    };
    let file = context.interruptible(move || CheckpointFile::read_watched(&weights, &watch))??;
    let before = Before { format: file.format, names: file.names };
    let names = match names {
        Some(names) => names.into(),
        // It has no others.
        None if format == Format::RwkvCpp => Names::Blinkdl,
        None => file.names,
    };
    let element_type = element_type.map(ElementType::from);
    let target = Target { format, names, element_type, base2 };
    target.check().map_err(|error| Failure::input(format!("{}: {error}", output.display())))?;
    let in_errors = name.clone();
    let mut prepared = context.interruptible(move || file.prepare(&in_errors, &target))??;
    out.write(|out| prepared.write(out))?;

    let sizes = prepared.checkpoint().sizes;
    let parameters = parameters(sizes);
    let element_types = counts(prepared.element_types().values());
    let types: Vec<String> =
        element_types.iter().map(|t| format!("{} in {}", t.tensors, t.r#type)).collect();
    let Sizes { blocks, channels, vocabulary, feed_forward } = sizes;
    let tensors = prepared.element_types().len();
    let exponents = if base2 { ", exponents of base 2" } else { "" };
    let words = format!(
        "{name}: {blocks} blocks of {channels} channels, feed-forward {feed_forward}, {vocabulary} \
         tokens, {parameters} parameters\nwrote {}: {format}, {tensors} tensors ({}){exponents}",
        output.display(),
        types.join(", ")
    );
    let result = Converted {
        input: name,
        output: output.display().to_string(),
        format,
        names,
        base2,
        from: before,
        sizes,
        parameters,
        tensors,
        element_types,
    };
    Ok(Outcome::held(result).with_files(vec![out]).with_last_words(words))
}

/// The format that the ending of a name tells.
fn format_of(path: &Path) -> Option<Format> {
    if is_stdout(path) {
        return None;
    }
    match path.extension()?.to_str()? {
        "safetensors" => Some(Format::Safetensors),
        "pth" | "pt" => Some(Format::Pytorch),
        "bin" => Some(Format::RwkvCpp),
        _ => None,
    }
}

/// Number of weights of a model.
fn parameters(sizes: Sizes) -> u64 {
    let [blocks, channels, vocabulary, feed_forward] =
        [sizes.blocks, sizes.channels, sizes.vocabulary, sizes.feed_forward]
            .map(|size| size as u64);
    // Embedding and head, and two norms of a scale and a shift.
    let outside = 2 * vocabulary * channels + 4 * channels;
    // Two more norms, decay and bonus, five token shifts.
    let block = 5 * channels * channels + 2 * feed_forward * channels + 11 * channels;
    outside + blocks * block
}

fn counts<'a>(types: impl Iterator<Item = &'a ElementType> + Clone) -> Vec<TypeCount> {
    [ElementType::F32, ElementType::F16, ElementType::Bf16, ElementType::Q5_0, ElementType::Q5_1]
        .iter()
        .map(|kind| TypeCount {
            r#type: kind.to_string(),
            tensors: types.clone().filter(|element_type| *element_type == kind).count(),
        })
        .filter(|count| count.tensors > 0)
        .collect()
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Safetensors => Self::Safetensors,
            FormatName::Pytorch => Self::Pytorch,
            FormatName::RwkvCpp => Self::RwkvCpp,
        }
    }
}

impl From<NamesName> for Names {
    fn from(name: NamesName) -> Self {
        match name {
            NamesName::Blinkdl => Self::Blinkdl,
            NamesName::HuggingFace => Self::HuggingFace,
        }
    }
}

impl From<TypeName> for ElementType {
    fn from(name: TypeName) -> Self {
        match name {
            TypeName::F32 => Self::F32,
            TypeName::F16 => Self::F16,
            TypeName::Bf16 => Self::Bf16,
            TypeName::Q5_0 => Self::Q5_0,
            TypeName::Q5_1 => Self::Q5_1,
        }
    }
}
