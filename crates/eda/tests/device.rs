//! Devices by name.

use eda::Device;
use eda::device::DEVICES;

#[test]
fn every_device_is_found_by_its_name() {
    for device in DEVICES {
        assert_eq!(device.name.parse(), Ok(device));
    }
}

#[test]
fn an_unknown_device_is_answered_with_the_list() {
    let refusal = "hx9k".parse::<Device>().expect_err("there is none").to_string();
    assert_eq!(
        refusal,
        "unknown device \"hx9k\": expected hx8k, up5k, ecp5-25k, ecp5-85k, gw1nr-9"
    );
}
