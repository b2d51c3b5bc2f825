//! A small file of rwkv.cpp that loads, in parts that can be damaged.

// Each test file uses a part of this.
#![allow(dead_code)]

/// A file of a model with 1 block, 32 channels, 3 tokens and a feed-forward width of 64.
pub struct Small {
    pub version: u32,
    pub header: [u32; 3],
    pub tensors: Vec<Tensor>,
}

#[derive(Clone)]
pub struct Tensor {
    pub name: String,
    pub data_type: u32,
    /// The innermost dimension first.
    pub shape: Vec<u32>,
    pub bytes: Vec<u8>,
}

impl Small {
    /// All weights are 0 but those of the attention's key matrix, which are `key`.
    pub fn new(data_type: u32, key: Vec<u8>) -> Self {
        let vectors = [
            "ln1.weight",
            "ln1.bias",
            "ln2.weight",
            "ln2.bias",
            "ln0.weight",
            "ln0.bias",
            "att.time_decay",
            "att.time_first",
            "att.time_mix_k",
            "att.time_mix_v",
            "att.time_mix_r",
            "ffn.time_mix_k",
            "ffn.time_mix_r",
        ];
        let square = |name: &str| (format!("blocks.0.{name}.weight"), vec![32, 32]);
        let vector = |name: &str| (format!("blocks.0.{name}"), vec![32]);
        let mut shapes: Vec<(String, Vec<u32>)> = vectors.map(vector).into();
        shapes.extend(["att.value", "att.receptance", "att.output", "ffn.receptance"].map(square));
        shapes.push(("blocks.0.ffn.key.weight".into(), vec![32, 64]));
        shapes.push(("blocks.0.ffn.value.weight".into(), vec![64, 32]));
        shapes.extend(["ln_out.weight", "ln_out.bias"].map(|name| (name.into(), vec![32])));
        shapes.extend(["emb.weight", "head.weight"].map(|name| (name.into(), vec![32, 3])));
        let zeros = |(name, shape): (String, Vec<u32>)| {
            let bytes = vec![0; 4 * shape.iter().product::<u32>() as usize];
            Tensor { name, data_type: 0, shape, bytes }
        };
        let mut tensors: Vec<Tensor> = shapes.into_iter().map(zeros).collect();
        let name = "blocks.0.att.key.weight".into();
        tensors.push(Tensor { name, data_type, shape: vec![32, 32], bytes: key });
        Self { version: 101, header: [3, 32, 1], tensors }
    }

    /// All weights are 0.
    pub fn zeros() -> Self {
        Self::new(0, vec![0; 4 * 32 * 32])
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let [vocabulary, channels, blocks] = self.header;
        let mut bytes = Vec::new();
        let numbers = |bytes: &mut Vec<u8>, numbers: &[u32]| {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        };
        numbers(&mut bytes, &[0x6767_6d66, self.version, vocabulary, channels, blocks, 0]);
        for Tensor { name, data_type, shape, bytes: data } in &self.tensors {
            numbers(&mut bytes, &[shape.len() as u32, name.len() as u32, *data_type]);
            numbers(&mut bytes, shape);
            bytes.extend(name.as_bytes());
            bytes.extend(data);
        }
        bytes
    }
}
