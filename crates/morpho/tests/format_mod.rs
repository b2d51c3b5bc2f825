//! Formats by name, and one way to write them all.

mod format_common;

use std::io;

use morpho::format::{self, Format};

#[test]
fn every_format_is_found_by_its_name() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let error = "Blif".parse::<Format>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`Blif` is not a netlist format; the formats are blif, verilog, rtl, yosys-json, aiger, aiger-ascii, dot"
    );
}

#[test]
fn an_error_of_the_output_is_handed_on() {
    struct Full;

    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    for format in Format::ALL {
        let error = format::write(&format_common::adder(1), format, Full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
