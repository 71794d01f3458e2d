//! States and their numbers: a table that keeps each state's values once.

/// Values of the variables, state after state, found again by a hash table of their numbers.
pub struct Numbers {
    width: usize,
    values: Vec<i32>,
    /// Number plus one; 0 is a free place. Its length is a power of two.
    table: Vec<u32>,
    states: usize,
}

impl Numbers {
    /// No states yet, of `width` variables each.
    pub fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), table: vec![0; 1024], states: 0 }
    }

    /// How many states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Memory taken, while it grows.
    pub fn bytes(&self) -> usize {
        8 * self.values.len() + 8 * self.table.len()
    }

    /// The values of a state.
    pub fn state(&self, number: usize) -> &[i32] {
        &self.values[number * self.width..(number + 1) * self.width]
    }

    /// All values, state after state.
    pub fn into_values(self) -> Vec<i32> {
        self.values
    }

    /// The number of a state; the next one if it was not known.
    pub fn number(&mut self, state: &[i32]) -> usize {
        let mut at = self.place(state);
        loop {
            match self.table[at] {
                0 => break,
                known if self.state(known as usize - 1) == state => return known as usize - 1,
                _ => at = (at + 1) & (self.table.len() - 1),
            }
        }
        self.values.extend_from_slice(state);
        self.states += 1;
        self.table[at] = self.states as u32;
        if 2 * self.states > self.table.len() {
            self.grow();
        }
        self.states - 1
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for number in 0..self.states {
            let mut at = self.place(self.state(number));
            while self.table[at] != 0 {
                at = (at + 1) & (self.table.len() - 1);
            }
            self.table[at] = number as u32 + 1;
        }
    }

    /// Where to look first. Neighbouring states differ by one in one value: a multiplication spreads them.
    fn place(&self, state: &[i32]) -> usize {
        let mix = |hash: u64, value: &i32| {
            (hash.rotate_left(23) ^ u64::from(*value as u32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let hash = state.iter().fold(0, mix);
        (hash >> 20) as usize & (self.table.len() - 1)
    }
}
