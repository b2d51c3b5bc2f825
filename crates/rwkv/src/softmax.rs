//! The softmax over the vocabulary, in f64: divergences of 1e-6 between two models survive.

/// The logarithm of the sum of e to each logit.
pub(crate) fn log_sum_exp(logits: &[f32]) -> f64 {
    let greatest = f64::from(logits.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let sum: f64 = logits.iter().map(|&logit| (f64::from(logit) - greatest).exp()).sum();
    greatest + sum.ln()
}

/// The negative log likelihood of `target`, in nats.
pub(crate) fn surprise(logits: &[f32], log_sum_exp: f64, target: u32) -> f64 {
    log_sum_exp - f64::from(logits[target as usize])
}

/// The token with the greatest logit; the first of several.
pub(crate) fn most_likely(logits: &[f32]) -> u32 {
    let mut best = 0;
    for (token, &logit) in logits.iter().enumerate() {
        if logit > logits[best] {
            best = token;
        }
    }
    best as u32
}

/// What the reference predicts for one token.
pub(crate) struct Prediction {
    probabilities: Vec<f64>,
    /// The sum over the vocabulary of probability times log probability.
    negative_entropy: f64,
    /// The most likely token.
    pub most_likely: u32,
}

impl Prediction {
    pub(crate) fn new(logits: &[f32], log_sum_exp: f64) -> Self {
        let log_probability = |&logit: &f32| f64::from(logit) - log_sum_exp;
        let probabilities: Vec<f64> = logits.iter().map(|l| log_probability(l).exp()).collect();
        let negative_entropy =
            probabilities.iter().zip(logits).map(|(p, logit)| p * log_probability(logit)).sum();
        Self { probabilities, negative_entropy, most_likely: most_likely(logits) }
    }

    /// The Kullback-Leibler divergence of another prediction from this one, in nats.
    pub(crate) fn divergence(&self, logits: &[f32], log_sum_exp: f64) -> f64 {
        let cross_entropy: f64 = self
            .probabilities
            .iter()
            .zip(logits)
            .map(|(p, &logit)| p * (log_sum_exp - f64::from(logit)))
            .sum();
        self.negative_entropy + cross_entropy
    }
}
