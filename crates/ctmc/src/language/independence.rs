//! Parts of a model that never hear of each other: groups of variables that share no command.
//!
//! From one initial state such groups are independent chains: the probability of a state of all is the
//! product of those of its parts, at any time and in the long run.

use super::code::Code;
use super::program::{Program, Subject};
use crate::error::{Error, Result};

/// Which groups a subject is about, and how it depends on each.
pub struct Split<'a> {
    /// The group of each variable; none if it never changes.
    group: Vec<Option<usize>>,
    /// By group that matters: its number, and the expressions that tell its states apart.
    pub parts: Vec<(usize, Vec<&'a Code>)>,
}

impl Program {
    /// The groups that `subject` is about; none when the model does not fall apart.
    pub fn split<'a>(&self, subject: Subject<'a>) -> Option<Split<'a>> {
        let group = groups(self);
        let count = group.iter().flatten().max()? + 1;
        let mut atoms = Vec::new();
        match subject {
            Subject::Label(code) => code.atoms(&group, &mut atoms),
            Subject::Reward(items) => {
                for item in items {
                    item.guard.atoms(&group, &mut atoms);
                    item.value.atoms(&group, &mut atoms);
                }
            }
        }
        let of = |number: usize| atoms.iter().filter(move |each| each.0 == number).map(|each| each.1);
        let parts = (0..count).map(|number| (number, of(number).collect::<Vec<_>>()));
        let parts = parts.filter(|each| !each.1.is_empty()).collect();
        (count > 1).then_some(Split { group, parts })
    }

    /// The model of one group: the others stay where they start.
    pub fn alone(&self, split: &Split<'_>, group: usize) -> Self {
        let kept: Vec<bool> = split.group.iter().map(|each| *each == Some(group)).collect();
        self.with(&kept)
    }
}

impl Split<'_> {
    /// What tells the states of one group apart, in a state.
    pub fn class(&self, program: &Program, group: usize, state: &[i32]) -> Result<Vec<u64>> {
        let codes = self.parts.iter().filter(|each| each.0 == group).flat_map(|each| &each.1);
        let fault = |fault| Error::Input(format!("{fault}, in the state {}", program.spell(state)));
        codes.map(|code| Ok(code.run(state).map_err(fault)?.real().to_bits())).collect()
    }

    /// Writes the values of one group's variables in `from` over those in `to`.
    pub fn transfer(&self, group: usize, from: &[i32], to: &mut [i32]) {
        for (slot, each) in self.group.iter().enumerate() {
            if *each == Some(group) {
                to[slot] = from[slot];
            }
        }
    }
}

/// The group of each variable that is ever set: those touched together are together.
fn groups(program: &Program) -> Vec<Option<usize>> {
    let slots = program.slots.len();
    let touched = program.commands.touched();
    let mut set = vec![false; slots];
    touched.iter().flat_map(|each| &each.0).for_each(|&slot| set[slot] = true);
    let mut leader: Vec<usize> = (0..slots).collect();
    for (sets, asks) in &touched {
        // What changes nothing ties nothing together.
        let together = sets.iter().chain(asks).copied().filter(|&slot| set[slot]);
        let Some(&first) = sets.first() else { continue };
        for slot in together {
            let (old, new) = (leader[slot], leader[first]);
            leader.iter_mut().filter(|each| **each == old).for_each(|each| *each = new);
        }
    }
    let mut leaders: Vec<usize> = (0..slots).filter(|&slot| set[slot]).map(|slot| leader[slot]).collect();
    leaders.sort_unstable();
    leaders.dedup();
    (0..slots).map(|slot| leaders.binary_search(&leader[slot]).ok().filter(|_| set[slot])).collect()
}
