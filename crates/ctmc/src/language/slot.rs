//! The variables that states are made of.

/// A variable, in the order of a state's numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Least value.
    pub low: i32,
    /// Greatest value.
    pub high: i32,
    /// First value.
    pub start: i32,
    /// Whether 0 and 1 stand for false and true.
    pub flag: bool,
    /// The module that may set it; any command that does not synchronise when absent.
    pub owner: Option<usize>,
}
