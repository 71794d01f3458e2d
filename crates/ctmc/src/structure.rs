//! The graph of a chain: which of its strongly connected components are never left, what can be reached.

use crate::chain::Chain;

/// Components that are never left, each sorted, in the order of their first states.
pub fn bottoms(chain: &Chain) -> Vec<Vec<usize>> {
    let mut component_of = vec![0; chain.states()];
    let all = Tarjan::new(chain).run();
    for (number, members) in all.iter().enumerate() {
        for &state in members {
            component_of[state] = number;
        }
    }
    let stays = |number: usize, members: &[usize]| {
        members.iter().all(|&state| chain.row(state).all(|(to, _)| component_of[to] == number))
    };
    let mut found: Vec<Vec<usize>> = all
        .into_iter()
        .enumerate()
        .filter(|(number, each)| stays(*number, each))
        .map(|each| each.1)
        .collect();
    found.iter_mut().for_each(|members| members.sort_unstable());
    found.sort_unstable_by_key(|members| members[0]);
    found
}

/// Which states can be reached from the initial ones without going on from `stop`.
pub fn reachable(chain: &Chain, stop: &[bool]) -> Vec<bool> {
    let mut seen = vec![false; chain.states()];
    let mut stack: Vec<usize> = chain.initial().iter().map(|each| each.0).collect();
    while let Some(state) = stack.pop() {
        if !std::mem::replace(&mut seen[state], true) && !stop[state] {
            stack.extend(chain.row(state).map(|each| each.0).filter(|&to| !seen[to]));
        }
    }
    seen
}

const UNSEEN: u32 = 0;

/// Tarjan's algorithm with its own stack: a chain of a million states is deeper than a thread's.
struct Tarjan<'a> {
    chain: &'a Chain,
    order: Vec<u32>,
    lowest: Vec<u32>,
    waiting: Vec<bool>,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
    next: u32,
}

impl<'a> Tarjan<'a> {
    fn new(chain: &'a Chain) -> Self {
        let states = chain.states();
        Self {
            chain,
            order: vec![UNSEEN; states],
            lowest: vec![0; states],
            waiting: vec![false; states],
            stack: Vec::new(),
            found: Vec::new(),
            next: UNSEEN + 1,
        }
    }

    fn run(mut self) -> Vec<Vec<usize>> {
        for state in 0..self.chain.states() {
            if self.order[state] == UNSEEN {
                self.explore(state);
            }
        }
        self.found
    }

    fn enter(&mut self, state: usize) {
        self.order[state] = self.next;
        self.lowest[state] = self.next;
        self.next += 1;
        self.waiting[state] = true;
        self.stack.push(state);
    }

    fn explore(&mut self, root: usize) {
        self.enter(root);
        let mut path = vec![(root, self.chain.row(root))];
        while let Some((state, edges)) = path.last_mut() {
            let state = *state;
            if let Some((to, _)) = edges.next() {
                if self.order[to] == UNSEEN {
                    self.enter(to);
                    let row = self.chain.row(to);
                    path.push((to, row));
                } else if self.waiting[to] {
                    self.lowest[state] = self.lowest[state].min(self.order[to]);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                self.lowest[*before] = self.lowest[*before].min(self.lowest[state]);
            }
            if self.lowest[state] == self.order[state] {
                self.close(state);
            }
        }
    }

    fn close(&mut self, root: usize) {
        let at = self.stack.iter().rposition(|&state| state == root).expect("a root is on the stack");
        let members = self.stack.split_off(at);
        members.iter().for_each(|&state| self.waiting[state] = false);
        self.found.push(members);
    }
}
