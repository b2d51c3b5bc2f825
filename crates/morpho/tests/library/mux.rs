use morpho::Builder;
use morpho::library::mux::mux;

use crate::common::{Random, check_on, circuit, mask};

#[test]
fn every_word_is_selected() {
    for select in 0..=7 {
        for word in (1..=5).filter(|word| word << select <= 128) {
            let data = word << select;
            let circuit = circuit(&[data, select], |n, i| Ok(vec![mux(n, &i[0], &i[1])?]));
            let mut random = Random::new(data as u64);
            let vectors: Vec<Vec<u128>> = (0..8 << select)
                .map(|lane| vec![random.number(data), lane & mask(select)])
                .collect();
            check_on(&circuit, &vectors, |i| vec![i[0] >> (i[1] as usize * word) & mask(word)]);
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
