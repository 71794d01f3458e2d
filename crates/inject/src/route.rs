//! The shortest way to one instruction of a run: breakpoints that are hit a few times, then single steps.

/// Cost of a breakpoint that is hit and goes on, in single steps: it takes two stops and three writes.
const HIT: f64 = 2.5;

/// The instructions that can be hit, in the order of their execution.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// Each address once.
    pub addresses: Vec<u64>,
    /// For each executed instruction that can be hit, its address' number.
    pub order: Vec<u32>,
    /// And how many instructions of any kind had been executed before it.
    pub before: Vec<u32>,
    /// All instructions that were executed.
    pub steps: u64,
}

/// A breakpoint that leads nearer: stop there at the `hits`-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The address.
    pub address: u64,
    /// How often it is reached, from the end of the leg before.
    pub hits: u32,
}

/// How to stop before one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// One after the other.
    pub legs: Vec<Leg>,
    /// Single steps after them.
    pub walk: u32,
    /// The address where it leads.
    pub to: u64,
}

impl Stream {
    /// The way to the instruction number `target` of the order.
    ///
    /// A leg ends at the last time that an address is reached before the target, so a loop's head that was
    /// executed ten times costs ten hits, and the inner loops between are not stopped in at all. The next leg
    /// does the same within the rest. Each is the address that is cheapest, with the root of what remains as
    /// a guess for the legs after it.
    pub fn route(&self, target: usize) -> Route {
        let (mut legs, mut from) = (Vec::new(), None::<usize>);
        let mut hits = vec![0_u32; self.addresses.len()];
        let mut last = vec![0_usize; self.addresses.len()];
        let to = self.before[target];
        loop {
            let first = from.map_or(0, |at| at + 1);
            let walk = to - from.map_or(0, |at| self.before[at]);
            hits.fill(0);
            for (at, number) in self.order.iter().enumerate().take(target + 1).skip(first) {
                hits[*number as usize] += 1;
                last[*number as usize] = at;
            }
            let cost =
                |number: usize| f64::from(hits[number]) * HIT + remaining(to - self.before[last[number]]);
            let best = (0..hits.len())
                .filter(|number| hits[*number] > 0)
                .min_by(|one, other| cost(*one).total_cmp(&cost(*other)));
            match best.filter(|number| cost(*number) < f64::from(walk)) {
                Some(number) => {
                    legs.push(Leg { address: self.addresses[number], hits: hits[number] });
                    from = Some(last[number]);
                }
                None => {
                    return Route { legs, walk, to: self.addresses[self.order[target] as usize] };
                }
            }
        }
    }
}

/// A guess of what the rest of a way costs: all steps, or breakpoints as in a loop of loops.
fn remaining(steps: u32) -> f64 {
    f64::from(steps).min(2.0 * HIT * f64::from(steps).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of three nested loops, each `n` times, with nothing else between.
    fn nested(n: u32) -> Stream {
        let mut stream =
            Stream { addresses: (0..4).map(|at| 0x1000 + at * 4).collect(), ..Stream::default() };
        let step = |stream: &mut Stream, number| {
            stream.before.push(u32::try_from(stream.order.len()).unwrap());
            stream.order.push(number);
        };
        step(&mut stream, 0);
        for _ in 0..n {
            step(&mut stream, 1);
            for _ in 0..n {
                step(&mut stream, 2);
                (0..n).for_each(|_| step(&mut stream, 3));
            }
        }
        stream.steps = stream.order.len() as u64;
        stream
    }

    /// Follows a route in the order itself.
    fn arrives(stream: &Stream, route: &Route) -> usize {
        let mut at = None::<usize>;
        for leg in &route.legs {
            let mut left = leg.hits;
            let mut next = at.map_or(0, |at| at + 1);
            loop {
                left -= u32::from(stream.addresses[stream.order[next] as usize] == leg.address);
                if left == 0 {
                    break;
                }
                next += 1;
            }
            at = Some(next);
        }
        at.unwrap_or(0) + route.walk as usize
    }

    #[test]
    fn every_route_leads_to_its_instruction() {
        let stream = nested(7);
        for target in 0..stream.order.len() {
            assert_eq!(arrives(&stream, &stream.route(target)), target);
        }
    }

    #[test]
    fn a_million_steps_in_three_loops_are_a_few_hundred_stops_away() {
        let stream = nested(100);
        for target in [999_999, 500_000, 123_456, 1, 0] {
            let route = stream.route(target);
            let stops: u32 = route.legs.iter().map(|leg| leg.hits).sum::<u32>() + route.walk;
            assert!(stops <= 320, "{target}: {stops} stops, {route:?}");
            assert_eq!(arrives(&stream, &route), target);
        }
    }
}
