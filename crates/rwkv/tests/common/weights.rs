//! A small safetensors file that loads, in parts that can be damaged.

// Each test file uses a part of this.
#![allow(dead_code)]

use std::path::Path;

use serde_json::{Value, json};

/// Header and data of a safetensors file.
pub struct Weights {
    pub header: Value,
    pub data: Vec<u8>,
}

impl Weights {
    /// The project's model, cut to 2 blocks, 4 channels, 6 tokens and a feed-forward width of 5;
    /// every weight is 0.
    pub fn small() -> Self {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let file = project.join("models/stories-1.5m/model.safetensors");
        let bytes = std::fs::read(file).expect("the project's model is readable");
        let length = u64::from_le_bytes(*bytes.first_chunk().expect("a length")) as usize;
        let mut header: Value = serde_json::from_slice(&bytes[8..][..length]).expect("JSON");
        let tensors = header.as_object_mut().expect("tensors by name");
        tensors.retain(|name, _| {
            let block = name.strip_prefix("blocks.").and_then(|rest| rest.split('.').next());
            name != "__metadata__" && block.is_none_or(|number| ["0", "1"].contains(&number))
        });
        let mut end = 0;
        for tensor in tensors.values_mut() {
            let start = end;
            let mut size = 4;
            for length in tensor["shape"].as_array_mut().expect("a shape") {
                let small = match length.as_u64().expect("a length") {
                    2048 => 6,
                    512 => 5,
                    128 => 4,
                    one => one,
                };
                size *= small;
                *length = json!(small);
            }
            tensor["dtype"] = json!("F32");
            end += size;
            tensor["data_offsets"] = json!([start, end]);
        }
        Self { header, data: vec![0; end as usize] }
    }

    /// The file; it tells `length` as the length of its header, or the right one.
    pub fn bytes(&self, length: Option<u64>) -> Vec<u8> {
        let header = self.header.to_string();
        let length = length.unwrap_or(header.len() as u64);
        [&length.to_le_bytes(), header.as_bytes(), &self.data].concat()
    }

    /// The file with another header.
    pub fn bytes_with(&self, header: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header, &self.data].concat()
    }
}
