//! A pipelined bank as it is named on a command line.

use std::fmt;
use std::str::FromStr;

use morpho::pipeline::Target;

use super::{Multipliers, Pipeline};
use crate::circuit::MAX_CHANNELS;

/// A text that names no pipelined bank.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no pipeline: expected pipeline=N with N from 1 to {MAX_CHANNELS} channels, then \
     ,dsp for multiplier blocks, and ,stages=S or ,delay=PICOSECONDS of a stage"
)]
pub struct PipelineError(String);

impl FromStr for Pipeline {
    type Err = PipelineError;

    fn from_str(text: &str) -> Result<Pipeline, PipelineError> {
        read(text).ok_or_else(|| PipelineError(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Pipeline> {
    let mut options = text.strip_prefix("pipeline=")?.split(',').peekable();
    let channels = options.next()?.parse().ok()?;
    let dsp = options.next_if_eq(&"dsp").is_some();
    let multipliers = if dsp { Multipliers::Dsp } else { Multipliers::Chains };
    let mut pipeline = Pipeline::new(channels, multipliers);
    if let Some(option) = options.next() {
        pipeline.target = match option.split_once('=')? {
            ("stages", stages) => Target::Stages(stages.parse().ok().filter(|&s| s > 0)?),
            ("delay", delay) => Target::Delay(delay.parse().ok()?),
            _ => return None,
        };
    }
    let fits = (1..=MAX_CHANNELS).contains(&channels) && options.next().is_none();
    fits.then_some(pipeline)
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pipeline={}", self.channels)?;
        if self.multipliers == Multipliers::Dsp {
            f.write_str(",dsp")?;
        }
        match self.target {
            target if target == Pipeline::new(self.channels, self.multipliers).target => Ok(()),
            Target::Stages(stages) => write!(f, ",stages={stages}"),
            Target::Delay(delay) => write!(f, ",delay={delay}"),
        }
    }
}
