//! What `wkv report` finds out, and the page that shows it.

pub mod choice;
pub mod exp2;
pub mod model_run;
pub mod notation;
pub mod page;
pub mod plot;
pub mod spectrum;
pub mod stories;
pub mod subject;

use std::path::Path;

use serde::Serialize;
use wkv::{Arithmetic, WkvSpec};

use self::choice::Choice;
use self::exp2::Exp2Deviation;
use self::model_run::ModelRun;
use self::spectrum::Spectrum;
use self::stories::Stories;
use crate::circuit::Summary;
use crate::machine::Machine;
use crate::sizes::UnitSizes;
use crate::sweep::{Arm, Sweep};
use crate::verification::Verification;

/// Everything that the page shows.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The committed format.
    #[serde(flatten)]
    pub choice: Choice,
    /// What each format costs the model.
    pub sweep: Sweep,
    /// How long the channels of the model remember.
    pub spectrum: Spectrum,
    /// The circuit of the committed format.
    pub build: Build,
    /// The exp2 units of the committed and of the published format.
    pub exp2: Vec<Exp2Deviation>,
    /// The units of the committed format against the integer model.
    pub verify: Verification,
    /// The committed circuit in the model.
    pub model_run: ModelRun,
    /// One story told twice.
    pub stories: Stories,
    /// Every file that was written.
    pub files: Vec<String>,
    /// Command lines that repeat it.
    pub commands: Vec<String>,
    /// The machine that measured.
    pub machine: Machine,
    /// Wall time of everything.
    pub seconds: f64,
}

/// A circuit and its netlists.
#[derive(Clone, Debug, Serialize)]
pub struct Build {
    /// The spec.
    pub spec: WkvSpec,
    /// The unit that is described: the cell.
    pub unit: String,
    /// Its description.
    #[serde(flatten)]
    pub summary: Summary,
    /// Each unit beside the published one.
    pub units: Vec<UnitSizes>,
    /// The netlists of each unit.
    pub netlists: Vec<Netlists>,
    /// All netlist files.
    pub files: Vec<String>,
}

/// The netlist files of one unit.
#[derive(Clone, Debug, Serialize)]
pub struct Netlists {
    /// The unit, as on a command line.
    pub unit: String,
    /// The files.
    pub files: Vec<String>,
}

impl Netlists {
    /// The names of the files, without their folder.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter_map(|file| Path::new(file).file_name()?.to_str())
    }
}

impl Report {
    /// The name of the page.
    pub const HTML: &str = "report.html";
    /// The name of the machine-readable report.
    pub const JSON: &str = "report.json";

    /// The measured arm of the committed format.
    pub fn committed_arm(&self) -> &Arm {
        let committed = Arithmetic::Fixed(self.choice.committed);
        self.sweep.arm(committed).expect("the committed format was measured")
    }

    /// The pictures, each with the name of its file.
    pub fn pictures(
        sweep: &Sweep,
        choice: &Choice,
        spectrum: &Spectrum,
    ) -> Vec<(&'static str, String)> {
        vec![
            ("formats.svg", plot::formats(sweep, choice)),
            ("errors.svg", plot::errors(sweep, choice.committed)),
            ("positions.svg", plot::positions(sweep, choice.committed)),
            ("saturations.svg", plot::saturations(sweep, choice.committed)),
            ("spectrum.svg", plot::spectrum(spectrum)),
        ]
    }

    /// Whether the gates agreed with the integer model everywhere.
    pub fn held(&self) -> bool {
        self.verify.held && self.model_run.mismatches == 0
    }
}
