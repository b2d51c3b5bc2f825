//! What a sweep is asked to measure, and the measuring.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rwkv::eval::{self, EvalError, Progress, Sequence, Task};
use wkv::{Arithmetic, Numerics};

use super::identity::{self, Identity};
use super::measured::Measured;
use super::records::{Header, RecordFile};
use super::shard::Shard;
use super::{ArmName, Sweep, measurable};
use crate::context::Context;
use crate::failure::Failure;
use crate::report::subject::Subject;

/// What is to be measured.
pub struct Request {
    /// The arms, in the order of the result.
    pub arms: Vec<ArmName>,
    /// Predicted tokens of a sequence, with documents strung together; none for each document alone.
    pub sequence_length: Option<NonZeroUsize>,
    /// The documents that are this machine's.
    pub shard: Shard,
    /// Where to keep what was measured, to go on after an interruption.
    pub records: Option<Keep>,
}

/// A file of records, and the model that they are of.
pub struct Keep {
    /// The file.
    pub path: PathBuf,
    /// [`identity::model_digest`].
    pub model_digest: String,
}

/// What is known so far, and the file that it is kept in.
struct Store {
    measured: Measured,
    file: Option<RecordFile>,
    failure: Option<Failure>,
}

impl Request {
    /// Measures what is not in the records yet, and gives the figures of all.
    pub fn run(&self, subject: &Subject, context: &Context) -> Result<Sweep, Failure> {
        let sequences = self.sequences(subject)?;
        let identity = self.identity(subject, &sequences);
        let places: Vec<usize> = self.shard.places(sequences.len())?.collect();
        let arms = measurable(&self.arms);
        let numerics = arms.iter().map(|arm| arm.engine.numerics(arm.spec));
        let numerics = numerics.collect::<Result<Vec<_>, _>>()?;
        let (file, measured) = match &self.records {
            Some(keep) => {
                let header = Header::new(identity.clone(), self.arms.clone());
                let (file, measured) = RecordFile::open(&keep.path, &header)?;
                (Some(file), measured)
            }
            None => (None, Measured::default()),
        };
        let tasks = tasks(&places, &sequences, &arms, &measured);
        let store = Store { measured, file, failure: None };
        let measured = self.measure(subject, &arms, &numerics, &tasks, store, context)?;
        Sweep::of(&identity, &self.arms, &places, &measured)
            .ok_or_else(|| Failure::Internal("a document was not measured".to_owned()))
    }

    fn sequences(&self, subject: &Subject) -> Result<Vec<Sequence>, Failure> {
        let alone = Sequence::of_documents(&subject.documents);
        let Some(length) = self.sequence_length else {
            return Ok(alone);
        };
        let tokens: u64 = alone.iter().map(Sequence::predicted_tokens).sum();
        if length.get() as u64 > tokens {
            return Err(Failure::input(format!(
                "--context {length}: {} has {tokens} tokens to predict; expected at most as many",
                subject.text
            )));
        }
        Ok(Sequence::cut(&subject.documents, length))
    }

    fn identity(&self, subject: &Subject, sequences: &[Sequence]) -> Identity {
        Identity {
            model: subject.model.clone(),
            model_digest: self
                .records
                .as_ref()
                .map_or_else(String::new, |keep| keep.model_digest.clone()),
            text: subject.text.clone(),
            text_digest: identity::text_digest(sequences),
            documents: subject.documents.len(),
            context: self.sequence_length.map(NonZeroUsize::get),
            sequences: sequences.len(),
            tokens: sequences.iter().map(Sequence::predicted_tokens).sum(),
            blocks: subject.language_model.model.sizes().blocks,
            channels: subject.channels(),
        }
    }

    fn measure(
        &self,
        subject: &Subject,
        arms: &[ArmName],
        numerics: &[Box<dyn Numerics>],
        tasks: &[Task],
        store: Store,
        context: &Context,
    ) -> Result<Measured, Failure> {
        if tasks.is_empty() {
            return Ok(store.measured);
        }
        let labels: Vec<String> = arms.iter().map(ArmName::to_string).collect();
        let labelled: Vec<eval::Arm> = std::iter::zip(&labels, numerics)
            .map(|(label, numerics)| eval::Arm { label, numerics: &**numerics })
            .collect();
        let store = Mutex::new(store);
        let on_part = |part: eval::Part| {
            let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
            store.keep(&part, arms)
        };
        let progress = context.progress("sweep: predicted tokens", 0);
        let ended = eval::measure(
            &subject.language_model.model,
            &Arithmetic::Float,
            &labelled,
            tasks,
            &|Progress { done, total }| progress.set_of(done, total),
            &on_part,
        );
        let Store { measured, failure, .. } =
            store.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (ended, failure) {
            (_, Some(failure)) => Err(failure),
            (Ok(()), None) => Ok(measured),
            (Err(EvalError::Stopped), None) => Err(self.stopped()),
            (Err(error), None) => Err(subject.failure(&error)),
        }
    }

    fn stopped(&self) -> Failure {
        match &self.records {
            None => Failure::Interrupted,
            Some(Keep { path, .. }) => Failure::Paused(format!(
                "what was measured is in {}, from which the same command goes on",
                path.display()
            )),
        }
    }
}

/// What is still to be measured: one task for each sequence that lacks an arm.
fn tasks<'a>(
    places: &[usize],
    sequences: &'a [Sequence],
    arms: &[ArmName],
    measured: &Measured,
) -> Vec<Task<'a>> {
    let task = |&place: &usize| {
        let missing = (0..arms.len()).filter(|&arm| measured.arm(place, arms[arm]).is_none());
        let missing: Vec<usize> = missing.collect();
        let done = missing.is_empty() && measured.reference(place).is_some();
        (!done).then(|| Task { number: place, sequence: &sequences[place], arms: missing })
    };
    places.iter().filter_map(task).collect()
}

impl Store {
    /// Keeps a part; `arms` are all that there are.
    fn keep(&mut self, part: &eval::Part, arms: &[ArmName]) -> ControlFlow<()> {
        if let Some(file) = &mut self.file
            && let Err(failure) = file.add(part, arms)
        {
            self.failure.get_or_insert(failure);
            return ControlFlow::Break(());
        }
        self.measured.keep(part, arms);
        ControlFlow::Continue(())
    }
}
