//! Reports and logs of nextpnr, as recorded.

use eda::nextpnr::{Report, Stage, Utilisation, utilisation};

const ICE40_REPORT: &str = include_str!("fixtures/ice40.report.json");
const ICE40_LOG: &str = include_str!("fixtures/ice40.log");
const ECP5_REPORT: &str = include_str!("fixtures/ecp5.report.json");
const GOWIN_REPORT: &str = include_str!("fixtures/gowin.report.json");
const GOWIN_LOG: &str = include_str!("fixtures/gowin.log");

#[test]
fn reads_reports() {
    let report = Report::parse(Some(ICE40_REPORT), "").expect("a report");
    assert_eq!((report.used("ICESTORM_LC"), report.stage), (309, Stage::Routed));
    assert!((report.mhz - 49.724).abs() < 0.001, "{}", report.mhz);
    let report = Report::parse(Some(ECP5_REPORT), "").expect("a report");
    assert!((report.mhz - 78.86).abs() < 0.01, "{}", report.mhz);
    assert_eq!(report.used("MULT18X18D"), 0);
}

/// Versions without `--report`: the figure after routing is the last one.
#[test]
fn reads_logs_where_there_is_no_report() {
    let report = Report::parse(None, ICE40_LOG).expect("a log");
    assert_eq!(report.used("ICESTORM_LC"), 309);
    assert_eq!((report.mhz, report.stage), (49.72, Stage::Routed));
}

#[test]
fn says_when_there_is_no_clock_after_routing() {
    let report = Report::parse(Some(GOWIN_REPORT), GOWIN_LOG).expect("a report");
    assert_eq!((report.mhz, report.stage), (123.72, Stage::Placed));
}

#[test]
fn reads_the_utilisation_of_a_design_that_does_not_fit() {
    let log = "Info: \t         ICESTORM_LC:  5608/ 5280   106%\nERROR: Unable to place\n";
    assert_eq!(utilisation(log)["ICESTORM_LC"], Utilisation { used: 5608, available: 5280 });
}

#[test]
fn refuses_garbage() {
    let refusals = [
        Report::parse(None, "Hello"),
        Report::parse(Some("{"), ICE40_LOG),
        Report::parse(Some(GOWIN_REPORT), ""),
    ];
    for refusal in refusals {
        assert!(refusal.is_err(), "{refusal:?}");
    }
}
