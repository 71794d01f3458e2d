//! Nouns for lists, by their length: plurals, and what is not counted.

use loadstone_stats::Rng;

use super::pick;

/// Length of the shortest nouns.
pub const SHORTEST: usize = 3;
/// Length of the longest.
pub const LONGEST: usize = 13;

const NOUNS: [&[&str]; LONGEST - SHORTEST + 1] = [
    list!["tea" "jam" "ice" "pie" "ink"],
    list!["cake" "soup" "rope" "hats" "maps" "cups" "oars" "figs" "kits" "salt"],
    list![
        "bread" "music" "lamps" "bells" "kites" "coats" "songs" "boats" "games" "paint" "chalk" "plums"
    ],
    list![
        "chairs" "medals" "cheese" "lights" "clocks" "violas" "pianos" "apples" "prints" "stamps"
    ],
    list![
        "candles" "baskets" "ribbons" "cameras" "guitars" "stories" "flowers" "pencils" "puppets"
    ],
    list!["lanterns" "blankets" "biscuits" "cushions" "costumes" "bicycles" "lemonade" "pancakes"],
    list!["postcards" "umbrellas" "raincoats" "keyboards" "paintings" "notebooks" "daffodils"],
    list!["sandwiches" "binoculars" "telescopes" "whirligigs"],
    list!["photographs" "instruments" "marionettes" "microscopes"],
    list!["blackberries" "screwdrivers" "refreshments" "wheelbarrows"],
    list!["conversations" "illustrations" "handkerchiefs"],
];

/// A noun of `length` bytes.
pub(super) fn of_length(rng: &mut Rng, length: usize) -> &'static str {
    pick(rng, NOUNS[length - SHORTEST])
}

/// A noun of at most `most` bytes and at most nine: long ones are left for ends that need them.
pub(super) fn shorter(rng: &mut Rng, most: usize) -> &'static str {
    let lengths = (most.min(9) - SHORTEST + 1) as u64;
    let length = SHORTEST + rng.below(lengths) as usize;
    of_length(rng, length)
}

/// What stands alone in one to nine bytes.
pub(super) fn alone(length: usize) -> &'static str {
    ["A", "Ok", "Yes", "Tea.", "Cake.", "Bread.", "Lights.", "Candles.", "Lanterns."][length - 1]
}

#[cfg(test)]
mod tests {
    use super::{NOUNS, SHORTEST, alone};

    #[test]
    fn every_noun_stands_where_its_length_says() {
        for (length, nouns) in (SHORTEST..).zip(NOUNS) {
            for noun in nouns {
                assert_eq!(noun.len(), length, "{noun}");
                assert!(noun.bytes().all(|c| c.is_ascii_lowercase()), "{noun}");
            }
        }
        assert!((1..10).all(|length| alone(length).len() == length));
    }
}
