use morpho::Builder;
use morpho::library::mux::mux;

use crate::common::{check_on, circuit, mask, Random};

#[test]
fn every_word_is_selected() {
    for select in 0..=6 {
        for word in [1, 2, 3, 5] {
            let data = word << select;
            let circuit = circuit(&[data.min(64), data - data.min(64), select], |n, i| {
                let data = morpho::bus::cat([&i[0], &i[1]]);
                Ok(vec![mux(n, &data, &i[2])?])
            });
            let mut random = Random::new(data as u64);
            let mut vectors = Vec::new();
            for index in 0..1u128 << select {
                for _ in 0..8 {
                    let (low, high) = (data.min(64), data - data.min(64));
                    let high = if high == 0 { 0 } else { u128::from(random.next()) };
                    vectors.push(vec![u128::from(random.next()) & mask(low), high, index]);
                }
            }
            check_on(&circuit, &vectors, |i| {
                let high_width = (data - data.min(64)).min(64);
                let data = i[0] | (i[1] & mask(high_width)) << data.min(64) % 128;
                let shift = i[2] as usize * word;
                vec![if shift < 128 { data >> shift & mask(word) } else { 0 }]
            });
        }
    }
}

#[test]
fn data_that_does_not_divide_into_words_is_refused() {
    let built = Builder::build("refused", |n| {
        let (data, select) = (n.input("data", 12), n.input("select", 3));
        mux(n, &data, &select)?;
        Ok(())
    });
    assert_eq!(
        built.expect_err("it is refused").to_string(),
        "3 select wires do not share 12 wires into equal words\n  in mux:12,3\n  \
         hint: give 2^select words of one width"
    );
}
