//! A compiled plan.

use std::collections::BTreeMap;
use std::net::IpAddr;

use loadstone_stats::{Law, Rng};
use memchr::memmem;
use serde::Serialize;

use crate::deal::Deal;
use crate::error::Result;
use crate::extract::{Answer, Site, Taken};
use crate::generator::{Generator, Scratch};
use crate::mix::{Mix, Next};
use crate::scenario::CompiledScenario;
use crate::state::{State, WALKS};
use crate::step::CompiledStep;
use crate::template::Template;
use crate::walk;
use crate::{Http, Load, PacingKind, Place, Plan};

/// A plan whose names are indices. Threads share it.
#[derive(Debug)]
pub struct Program {
    /// Seed of every random choice.
    pub seed: u64,
    /// The servers that requests go to: the target's own, then the others in the order of their names.
    pub places: Vec<Place>,
    /// The protocol that is asked for.
    pub http: Http,
    /// The proxy by which they are reached.
    pub proxy: Option<(String, u16)>,
    /// What the proxy is told of who asks, as a line of a head; empty: nothing.
    pub proxy_field: String,
    /// Addresses that users connect from.
    pub from: Vec<IpAddr>,
    /// Users over time.
    pub load: Load,
    /// This agent and the number of agents.
    pub slice: (u32, u32),
    /// Most users of the plan at any time, all agents together; of an open workload as many as all of its
    /// sessions.
    pub population: u32,
    /// Operations in the order of the plan.
    pub operations: Vec<CompiledOperation>,
    /// Who walks through them: one scenario, or several at once.
    pub scenarios: Vec<CompiledScenario>,
    pub(crate) deal: Deal,
    /// What follows what.
    pub mix: Mix,
    /// Names of the counted steps.
    pub counters: Vec<String>,
    /// Names of the functions that steps call.
    pub functions: Vec<String>,
    /// What addresses of each place begin with.
    pub(crate) sites: Vec<Site>,
    /// Most values, lists and sequences of any scenario.
    pub(crate) values: usize,
    pub(crate) lists: usize,
    pub(crate) serials: usize,
}

/// What a proxy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByProxy {
    /// It is asked for whole addresses, and asks the server itself.
    Asked,
    /// It connects to the server (CONNECT) and passes on what either side sends.
    Tunnel,
}

/// What a user knows at a moment, for people to see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Remembered {
    /// Values that were drawn or extracted.
    pub values: BTreeMap<String, String>,
    /// Lists of links.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Flags that are set.
    pub flags: Vec<String>,
}

/// A compiled [`crate::Operation`].
#[derive(Debug)]
pub struct CompiledOperation {
    /// Its name.
    pub name: String,
    /// Response time allowed, microseconds.
    pub limit_us: u64,
    /// Most microseconds of it as a whole.
    pub timeout_us: Option<u64>,
    /// When it starts.
    pub pacing: CompiledPacing,
    /// Requests.
    pub steps: Vec<CompiledStep>,
    /// So many of them are its way; the others renew what one of these was refused for.
    pub own: usize,
    pub(crate) draws: Vec<(usize, Generator)>,
}

/// A compiled [`crate::Pacing`].
#[derive(Debug, Clone, Copy)]
pub struct CompiledPacing {
    /// What the law measures.
    pub kind: PacingKind,
    /// The law.
    pub law: Law,
}

impl Program {
    /// How a place is reached by the proxy, if there is one.
    pub fn by_proxy(&self, place: &Place) -> Option<ByProxy> {
        self.proxy.as_ref().filter(|_| place.socket.is_none())?;
        Some(if place.tls.is_some() || self.http == Http::Two { ByProxy::Tunnel } else { ByProxy::Asked })
    }

    /// Resolves a plan.
    ///
    /// # Errors
    /// What is wrong, and in which operation, step and field.
    pub fn compile(plan: &Plan) -> Result<Self> {
        crate::compile::compile(plan)
    }

    /// The scenario of a user, a session or a request of this number.
    pub fn dealt(&self, number: u32) -> usize {
        self.deal.of(number)
    }

    /// The scenario that a user walks by.
    pub fn scenario_of(&self, state: &State) -> &CompiledScenario {
        &self.scenarios[state.scenario()]
    }

    /// The operation that arrival `number` asks for, by the long-run shares of its scenario's mix. It is the
    /// arrival's own, whoever makes it.
    pub fn drawn(&self, number: u32) -> usize {
        let scenario = &self.scenarios[self.dealt(number)];
        let last = scenario.cumulative.len().saturating_sub(1);
        if last == 0 {
            return scenario.first;
        }
        let u = Rng::stream(self.seed, WALKS + u64::from(number)).unit_open() * scenario.cumulative[last];
        scenario.operations.start + scenario.cumulative.iter().position(|upto| u <= *upto).unwrap_or(last)
    }

    /// What follows `operation` for a user whose choices `state` makes.
    pub fn next(&self, operation: usize, state: &mut State) -> Next {
        self.mix.next(operation, &mut state.walk)
    }

    /// The operation that `next` leads to. Where there is nothing to go back to, that is the first one.
    pub fn target_of(&self, next: Next, state: &State) -> usize {
        match next {
            Next::Operation(operation) => operation,
            Next::Back => state.came_from().unwrap_or(self.scenario_of(state).first),
            Next::NewSession => self.scenario_of(state).first,
        }
    }

    /// Keeps the history when a user leaves `operation` for `next`.
    pub fn leave(&self, operation: usize, next: Next, state: &mut State) {
        match next {
            Next::Operation(entered) if self.mix.remembers(entered) => state.remember(operation),
            Next::Operation(_) | Next::NewSession => state.forget_way(),
            Next::Back => state.go_back(),
        }
    }

    /// What an answer's body says about what follows.
    pub fn rule(&self, body: &[u8], state: &State, scratch: &mut Vec<u8>) -> Option<Next> {
        let applies = |text: &Template, scratch: &mut Vec<u8>| {
            scratch.clear();
            text.render(state, scratch);
            memmem::find(body, scratch).is_some()
        };
        self.scenario_of(state).rules.iter().find(|(text, _)| applies(text, scratch)).map(|(_, next)| *next)
    }

    /// What a user knows, by name. What is empty is left out.
    pub fn remembered(&self, state: &State) -> Remembered {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = &self.scenario_of(state).told;
        let values = told.values.iter().enumerate().map(|(slot, name)| (name, state.value(slot)));
        let lists = told.lists.iter().enumerate().map(|(slot, name)| (name, state.list(slot)));
        let flags = told.flags.iter().enumerate();
        Remembered {
            values: values.filter(|(_, v)| !v.is_empty()).map(|(name, v)| (name.clone(), text(v))).collect(),
            lists: lists
                .filter(|(_, list)| list.len() > 0)
                .map(|(name, list)| (name.clone(), (0..list.len()).map(|at| text(list.get(at))).collect()))
                .collect(),
            flags: flags
                .filter(|(bit, _)| state.flags >> bit & 1 == 1)
                .map(|(_, name)| name.clone())
                .collect(),
        }
    }

    /// Runs the extractions of a step on an answer of `place`; `scratch` is any buffer.
    pub fn extract<'p>(
        &self,
        step: &'p CompiledStep,
        place: usize,
        answer: &impl Answer,
        state: &mut State,
        scratch: &mut Vec<u8>,
    ) -> Taken<'p> {
        let mut taken = Taken { found: 0, missing: None };
        for (number, extractor) in step.extract.iter().enumerate() {
            if extractor.run(answer, &self.sites[place], state, scratch) {
                taken.found |= 1_u64.checked_shl(number as u32).unwrap_or(0);
            } else {
                taken.missing = taken.missing.or(extractor.required());
            }
        }
        taken
    }
}

impl CompiledOperation {
    /// Whether its time has parts: it has several steps, or a page with files.
    pub fn has_parts(&self) -> bool {
        self.steps.len() > 1 || self.steps.iter().any(|step| step.page || step.repeat.is_some())
    }

    /// Draws the operation's values for a user.
    pub fn draw(&self, state: &mut State, scratch: &mut Scratch) {
        for (slot, generator) in &self.draws {
            generator.draw(*slot, state, scratch);
        }
    }
}

impl CompiledStep {
    /// Whether a user takes the step: its conditions hold and chance has it.
    pub fn is_taken(&self, state: &mut State) -> bool {
        self.when.hold(state) && (self.chance >= 1.0 || state.rng.unit_open() <= self.chance)
    }
}

/// What a plan promises in the long run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expectations {
    /// Stationary share of each operation among those of its scenario.
    pub mix: BTreeMap<String, f64>,
    /// Standard error of each share: 0 where it was computed, not simulated.
    pub mix_error: BTreeMap<String, f64>,
    /// Mean of the time before each operation, after clamping, seconds.
    pub pace_mean_s: BTreeMap<String, f64>,
}

/// Shares of a scenario's operations in the long run, and their standard errors; 0 of the operations of others.
pub(crate) fn long_run_shares(program: &Program, scenario: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let names: Vec<&str> = program.operations.iter().map(|o| o.name.as_str()).collect();
    let own = &program.scenarios[scenario];
    if program.mix.has_memory(own.operations.clone()) || own.max_operations < u32::MAX {
        return Ok(walk::shares(program, scenario));
    }
    Ok((program.mix.stationary(&names, own.first)?, vec![0.0; names.len()]))
}

/// What `plan` promises: shares and pace that a valid run must show.
///
/// # Errors
/// As [`Program::compile`].
pub fn expectations(plan: &Plan) -> Result<Expectations> {
    let program = Program::compile(plan)?;
    let names: Vec<&str> = program.operations.iter().map(|o| o.name.as_str()).collect();
    let (mut shares, mut errors) = (vec![0.0; names.len()], vec![0.0; names.len()]);
    for (number, scenario) in program.scenarios.iter().enumerate() {
        let (share, error) = long_run_shares(&program, number)?;
        for at in scenario.operations.clone() {
            (shares[at], errors[at]) = (share[at], error[at]);
        }
    }
    let by_name = |value: &dyn Fn(usize) -> f64| {
        names.iter().enumerate().map(|(i, name)| (name.to_string(), value(i))).collect()
    };
    Ok(Expectations {
        mix: by_name(&|i| shares[i]),
        mix_error: by_name(&|i| errors[i]),
        pace_mean_s: by_name(&|i| program.operations[i].pacing.law.mean()),
    })
}
