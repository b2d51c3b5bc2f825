//! The pages as files: what `wkv site` writes and `wkv serve` serves.

mod models;
mod pages;
mod recorded;
mod story;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use axum::body::Bytes;
use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::embedded;
use crate::failure::Failure;

/// What the pages show beside themselves.
#[derive(Clone, Debug, Args)]
pub struct Source {
    /// Another model for the pages, beside the embedded one; may be given several times
    #[arg(long = "model", value_name = "PATH")]
    models: Vec<PathBuf>,
    /// Take the story's figures of the formats from the report in this folder [default: a kept report
    /// of the embedded model]
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// Every file of the pages by its path below their folder, with `/` between the parts.
pub struct Site {
    files: BTreeMap<String, Bytes>,
}

impl Site {
    /// The pages with their figures, their models and recorded streams.
    pub fn build(source: &Source, context: &Context) -> Result<Self, Failure> {
        let mut site = Self { files: pages::files()? };
        site.tell_story(source)?;
        let (name, language_model) = embedded::language_model(None)?;
        models::add(&mut site, name.clone(), &language_model, &source.models, context)?;
        recorded::add(&mut site, name, &language_model)?;
        Ok(site)
    }

    /// The files, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (&path[..], &bytes[..]))
    }

    /// The file at `path`.
    pub fn file(&self, path: &str) -> Option<&Bytes> {
        self.files.get(path)
    }

    /// Number of files, and of their bytes.
    pub fn size(&self) -> Size {
        let bytes = self.files.values().map(|bytes| bytes.len() as u64).sum();
        Size { files: self.files.len(), bytes }
    }

    /// Fills the places of the story's page.
    fn tell_story(&mut self, source: &Source) -> Result<(), Failure> {
        let sources = story::Sources::read(source.report.as_deref())?;
        let template = self.files.get_mut(story::PAGE).expect("it is one of the pages");
        let text = str::from_utf8(template).expect("pages are UTF-8");
        *template = story::fill(text, &sources)?.into();
        Ok(())
    }

    fn add(&mut self, path: String, bytes: impl Into<Bytes>) {
        let before = self.files.insert(path, bytes.into());
        debug_assert!(before.is_none(), "two files of one path");
    }

    fn add_json(&mut self, path: &str, value: &impl Serialize) {
        let json = serde_json::to_vec(value).expect("sizes, names and numbers");
        self.add(path.to_owned(), json);
    }
}

/// A file's content, to be sent many times and never copied.
fn bytes(content: Cow<'static, [u8]>) -> Bytes {
    match content {
        Cow::Borrowed(part) => Bytes::from_static(part),
        Cow::Owned(read) => read.into(),
    }
}

/// How large a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Number of files.
    pub files: usize,
    /// Number of bytes, models included.
    pub bytes: u64,
}
