//! What one user remembers: its random numbers, values, lists and flags.

use loadstone_stats::Rng;

use crate::program::Program;

/// Most entries of a list of links: what a person would look over.
pub(crate) const LIST_LIMIT: usize = 64;

/// Most operations that a history holds; beyond them the oldest are forgotten.
const HISTORY_LIMIT: usize = 1 << 10;

/// Streams of walks begin behind those of the values of all possible users.
pub(crate) const WALKS: u64 = 1 << 32;

/// The memory of one user.
#[derive(Debug)]
pub struct State {
    /// Random numbers of the user's values and chances.
    pub rng: Rng,
    /// Those of its walk: what comes next and when. A stream of its own, because how many numbers values and
    /// chances take depends on what the server answers.
    pub walk: Rng,
    /// Flags set, by bit.
    pub flags: u64,
    /// Status of the latest answer to a step; 0 before the first.
    pub status: u16,
    user: u32,
    users: u32,
    scenario: usize,
    values: Box<[Vec<u8>]>,
    lists: Box<[List]>,
    serials: Box<[u64]>,
    /// Operations that the user may go back to, the last one last.
    history: Vec<u32>,
}

/// Distinct texts, end to end.
#[derive(Debug, Default)]
pub(crate) struct List {
    text: Vec<u8>,
    ends: Vec<u32>,
}

impl State {
    /// User `user` of the plan, in a new session.
    pub fn new(program: &Program, user: u32) -> Self {
        Self::of(program, user, program.dealt(user))
    }

    /// The same of a scenario that need not be the user's.
    pub fn of(program: &Program, user: u32, scenario: usize) -> Self {
        Self {
            rng: Rng::stream(program.seed, u64::from(user)),
            walk: Rng::stream(program.seed, WALKS + u64::from(user)),
            flags: 0,
            status: 0,
            user,
            users: program.population,
            scenario,
            values: vec![Vec::new(); program.values].into(),
            lists: std::iter::repeat_with(List::default).take(program.lists).collect(),
            serials: vec![0; program.serials].into(),
            history: Vec::new(),
        }
    }

    /// Becomes user `user`, as [`State::new`] makes one, in the same memory.
    pub fn become_user(&mut self, program: &Program, user: u32) {
        self.rng = Rng::stream(program.seed, u64::from(user));
        self.walk = Rng::stream(program.seed, WALKS + u64::from(user));
        self.user = user;
        self.scenario = program.dealt(user);
        self.flags = 0;
        self.status = 0;
        self.values.iter_mut().for_each(Vec::clear);
        self.lists.iter_mut().for_each(List::clear);
        self.serials.fill(0);
        self.history.clear();
    }

    /// Where the user would go back to.
    pub(crate) fn came_from(&self) -> Option<usize> {
        self.history.last().map(|operation| *operation as usize)
    }

    pub(crate) fn remember(&mut self, operation: usize) {
        if self.history.len() == HISTORY_LIMIT {
            self.history.remove(0);
        }
        self.history.push(operation as u32);
    }

    pub(crate) fn go_back(&mut self) {
        self.history.pop();
    }

    pub(crate) fn forget_way(&mut self) {
        self.history.clear();
    }

    /// Number of this user in the plan, from 0.
    pub fn user(&self) -> u32 {
        self.user
    }

    /// Which of the program's scenarios the user walks by.
    pub fn scenario(&self) -> usize {
        self.scenario
    }

    /// How many users the plan has at most.
    pub fn users(&self) -> u32 {
        self.users
    }

    /// A value; empty when it was never drawn.
    pub(crate) fn value(&self, slot: usize) -> &[u8] {
        &self.values[slot]
    }

    pub(crate) fn set_value(&mut self, slot: usize, value: &[u8]) {
        self.values[slot].clear();
        self.values[slot].extend_from_slice(value);
    }

    pub(crate) fn list(&self, slot: usize) -> &List {
        &self.lists[slot]
    }

    pub(crate) fn list_mut(&mut self, slot: usize) -> &mut List {
        &mut self.lists[slot]
    }

    /// The next number of a sequence, from 0.
    pub(crate) fn next_serial(&mut self, sequence: usize) -> u64 {
        self.serials[sequence] += 1;
        self.serials[sequence] - 1
    }

    /// Forgets flags and what was only ever extracted. Drawn values and sequences go on, and lists stay: who
    /// logs out still has the page with the links.
    pub fn forget(&mut self, program: &Program) {
        self.flags = 0;
        let forgotten = &program.scenarios[self.scenario].forgotten;
        for (value, _) in self.values.iter_mut().zip(forgotten).filter(|(_, forgotten)| **forgotten) {
            value.clear();
        }
    }

    /// Forgets lists too: the next session is somebody else's.
    pub fn begin_session(&mut self, program: &Program) {
        self.forget(program);
        self.status = 0;
        self.forget_way();
        self.lists.iter_mut().for_each(List::clear);
    }
}

impl List {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(crate) fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    pub(crate) fn has_room(&self) -> bool {
        self.len() < LIST_LIMIT
    }

    /// Adds what is not there yet, up to the limit.
    pub(crate) fn insert(&mut self, item: &[u8]) {
        if self.has_room() && !(0..self.len()).any(|i| self.get(i) == item) {
            self.text.extend_from_slice(item);
            self.ends.push(self.text.len() as u32);
        }
    }
}
