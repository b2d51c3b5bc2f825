//! Builds the program anew when `scripts/build-web` has added to the pages that it embeds.

fn main() {
    println!("cargo:rerun-if-changed=../wkv-web/pages");
}
