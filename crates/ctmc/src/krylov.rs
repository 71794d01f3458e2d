//! Linear systems of a large chain's generator, to some digits: BiCGSTAB, helped by Gauss–Seidel sweeps.
//!
//! Solved is (σ·1·e₀ᵀ − Q)·x = b, where e₀ marks the first state. Q alone is singular, for it takes every
//! constant to zero; with the first state's value added to every equation it is not, and σ·x₀ is the long-run
//! mean of b. With Q = L + U − D in the order of the states, a sweep solves (D − L)·z = r, and the product
//! that follows needs U only: (D − L − U)·z = r − U·z.
//!
//! Nothing is claimed about x: whoever uses it finds out how good it is. Source: van der Vorst, *SIAM Journal
//! on Scientific and Statistical Computing* 13 (1992).

use crate::budget;
use crate::chain::Chain;
use crate::error::Result;

/// Iterations of one solution.
const MOST_ITERATIONS: usize = 500;

/// The residual that is followed parts from the true one about here.
const FINEST: f64 = 1e-9;

/// The generator of the states of one component, renumbered in the order of the sweeps.
pub struct Swept {
    /// Rates to states that come earlier, and later.
    lower: Rows,
    upper: Rows,
    exits: Vec<f64>,
}

/// (state, rate), as far as one row goes.
pub type Row = [(u32, f64)];

/// Compressed rows.
#[derive(Default, Clone)]
struct Rows {
    ends: Vec<usize>,
    items: Vec<(u32, f64)>,
}

impl Rows {
    fn iter(&self) -> impl Iterator<Item = &Row> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.items[std::mem::replace(&mut start, end)..end])
    }
}

impl Swept {
    /// The states of `order`, which must be all that they lead to.
    pub fn new(chain: &Chain, order: &[usize]) -> Self {
        let mut place = vec![0_u32; chain.states()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
        let (mut lower, mut upper) = (Rows::default(), Rows::default());
        for (new, &old) in order.iter().enumerate() {
            for (to, rate) in chain.row(old) {
                let to = place[to];
                let side = if (to as usize) < new { &mut lower } else { &mut upper };
                side.items.push((to, rate));
            }
            lower.ends.push(lower.items.len());
            upper.ends.push(upper.items.len());
        }
        Self { lower, upper, exits: order.iter().map(|&state| chain.exit(state)).collect() }
    }

    /// The transitions out of each state in turn: to earlier states, to later ones.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, &Row)> {
        self.lower.iter().zip(self.upper.iter())
    }

    /// The same with Q + `growth` for Q; none where a state is left no faster than that.
    pub fn growing(&self, growth: f64) -> Option<Self> {
        let exits: Vec<f64> = self.exits.iter().map(|exit| exit - growth).collect();
        let possible = exits.iter().all(|exit| *exit > 0.0);
        possible.then(|| Self { lower: self.lower.clone(), upper: self.upper.clone(), exits })
    }

    /// σ: the first state's rate, so that the added equation is of the size of the others.
    pub fn sigma(&self) -> f64 {
        self.exits[0]
    }

    /// x with a residual of at most `enough` of the mean that σ·x₀ stands for, as far as that goes; `turn`
    /// varies the way when another one led nowhere.
    ///
    /// Errors: the budget is spent.
    pub fn solve(&self, b: &[f64], turn: usize, enough: impl Fn(f64) -> f64) -> Result<Vec<f64>> {
        budget::stage("settling the long run");
        let product = |r: &[f64], z: &mut [f64], product: &mut [f64]| self.swept_product(r, z, product);
        let floor = FINEST * largest(b);
        let enough = |x: &[f64]| enough(self.sigma() * x[0]).max(floor);
        settle(b, &self.shadow(b, turn), MOST_ITERATIONS, product, enough)
    }

    /// The vector that residuals are made orthogonal to.
    fn shadow(&self, b: &[f64], turn: usize) -> Vec<f64> {
        let sign = |state: usize| if (state / turn.max(1)).is_multiple_of(2) { 1.0 } else { -1.0 };
        b.iter().enumerate().map(|(state, b)| if turn == 0 { *b } else { sign(state) + b }).collect()
    }

    /// z with (D − L)·z = r, and the product of the whole matrix with it.
    fn swept_product(&self, r: &[f64], z: &mut [f64], product: &mut [f64]) {
        for (state, row) in self.lower.iter().enumerate() {
            let inflow: f64 = row.iter().map(|&(to, rate)| rate * z[to as usize]).sum();
            z[state] = (r[state] + inflow) / self.exits[state];
        }
        let shift = self.sigma() * z[0];
        for ((product, r), row) in product.iter_mut().zip(r).zip(self.upper.iter()) {
            let onward: f64 = row.iter().map(|&(to, rate)| rate * z[to as usize]).sum();
            *product = r - onward + shift;
        }
    }
}

/// x with A·x near b by BiCGSTAB: `product` leaves a helped direction z for r and A·z; ended when no entry of
/// the residual is more than `enough` of x. `shadow` is what residuals are made orthogonal to.
///
/// Errors: the budget is spent.
pub fn settle(
    b: &[f64],
    shadow: &[f64],
    most_iterations: usize,
    product: impl Fn(&[f64], &mut [f64], &mut [f64]),
    enough: impl Fn(&[f64]) -> f64,
) -> Result<Vec<f64>> {
    let zero = || vec![0.0; b.len()];
    let (mut x, mut r, mut p, mut v, mut t) = (zero(), b.to_vec(), zero(), zero(), zero());
    let (mut p_helped, mut s_helped) = (zero(), zero());
    let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
    for _ in 0..most_iterations {
        budget::check()?;
        let next = dot(shadow, &r);
        let beta = next / rho * (alpha / omega);
        rho = next;
        let directions = p.iter_mut().zip(&v).zip(&r);
        directions.for_each(|((p, v), r)| *p = r + beta * (*p - omega * v));
        product(&p, &mut p_helped, &mut v);
        alpha = rho / dot(shadow, &v);
        r.iter_mut().zip(&v).for_each(|(r, v)| *r -= alpha * v);
        product(&r, &mut s_helped, &mut t);
        let square = dot(&t, &t);
        omega = if square > 0.0 { dot(&t, &r) / square } else { 0.0 };
        if !(alpha.is_finite() && omega.is_finite()) {
            break;
        }
        for (x, (p, s)) in x.iter_mut().zip(p_helped.iter().zip(&s_helped)) {
            *x += alpha * p + omega * s;
        }
        r.iter_mut().zip(&t).for_each(|(r, t)| *r -= omega * t);
        if omega == 0.0 || largest(&r) <= enough(&x) {
            break;
        }
    }
    Ok(x)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest magnitude; infinite where one is no number, so that nobody takes it for small.
pub fn largest(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0_f64, |most, each| if each.is_nan() { f64::INFINITY } else { most.max(each.abs()) })
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_no_number_is_not_small() {
        assert_eq!(super::largest(&[1.0, f64::NAN, -2.0]), f64::INFINITY);
        assert_eq!(super::largest(&[1.0, -2.0]), 2.0);
    }
}
