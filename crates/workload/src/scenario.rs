//! One scenario of a program: whose users walk how through which of its operations.

use std::ops::Range;

use loadstone_stats::Law;

use crate::compile::compile_law;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::mix::{Mix, Next, next_of};
use crate::names::{Names, Told};
use crate::template::Template;
use crate::{Browser, OnFailure, Plan, Session};

/// Most connections of a user to one host.
const MOST_CONNECTIONS: u32 = 64;

/// What a plan says of one scenario.
#[derive(Debug)]
pub(crate) struct Planned<'p> {
    /// None where the plan is one scenario.
    name: Option<&'p str>,
    pub weight: u32,
    pub operations: Range<usize>,
    session: &'p Session,
    browser: &'p Browser,
}

impl<'p> Planned<'p> {
    /// The scenarios of a plan; one with everything if it does not name several.
    pub(crate) fn of(plan: &'p Plan) -> Result<Vec<Self>> {
        let size = plan.operations.len();
        if plan.scenarios.is_empty() {
            let (Some(session), Some(browser)) = (&plan.session, &plan.browser) else {
                return Err(Error::Range("session, browser: a plan without scenarios has both".into()));
            };
            return Ok(vec![Self { name: None, weight: 1, operations: 0..size, session, browser }]);
        }
        if plan.session.is_some() || plan.browser.is_some() {
            return Err(Error::Conflict("session, browser: each of several scenarios has its own".into()));
        }
        let mut from: usize = 0;
        let parts: Vec<_> = plan
            .scenarios
            .iter()
            .map(|one| {
                let operations = from..from.saturating_add(one.operations);
                from = operations.end;
                let (name, weight) = (Some(one.name.as_str()), one.weight);
                Self { name, weight, operations, session: &one.session, browser: &one.browser }
            })
            .collect();
        if from != size || parts.iter().any(|part| part.operations.is_empty()) {
            return Err(Error::Range(format!(
                "scenarios: they have {from} operations, the plan {size}, and each has one at least"
            )));
        }
        Ok(parts)
    }

    /// Where an error is, if there are several.
    pub(crate) fn place(&self) -> String {
        self.name.map_or_else(String::new, |name| format!("scenario `{name}`, "))
    }
}

/// A compiled [`crate::Scenario`].
#[derive(Debug)]
pub struct CompiledScenario {
    /// Its operations among those of the program.
    pub operations: Range<usize>,
    /// The first operation of a session.
    pub first: usize,
    /// Most operations of a session.
    pub max_operations: u32,
    /// What a failed operation means for its session.
    pub on_failure: OnFailure,
    /// How often in a row a 503 with Retry-After is waited for.
    pub retry_after: u32,
    /// What the emulated browser caches.
    pub browser: Browser,
    /// Pause before each further file of a page.
    pub pause: Option<Law>,
    pub(crate) told: Told,
    pub(crate) rules: Vec<(Template, Next)>,
    /// For each value, whether a session's end forgets it.
    pub(crate) forgotten: Vec<bool>,
    /// Where single operations arrive: long-run shares of its operations, summed up.
    pub(crate) cumulative: Vec<f64>,
}

impl CompiledScenario {
    /// Resolves what the plan says: `all` are the names of its operations.
    pub(crate) fn compile(part: &Planned<'_>, all: &[&str], mix: &Mix, names: &Names) -> Result<Self> {
        let (session, browser) = (part.session, part.browser);
        if session.max_operations == Some(0) {
            return Err(Error::Range("session.max_operations: a session has at least one operation".into()));
        }
        let inside = |next: &Next| match next {
            Next::Operation(to) => part.operations.contains(to),
            Next::Back | Next::NewSession => true,
        };
        if let Some(from) = mix.leaves(part.operations.clone()) {
            return Err(Error::Name(format!("mix: `{}` leads to another scenario", all[from])));
        }
        let first = all.iter().position(|name| *name == session.first);
        let first = first.filter(|first| part.operations.contains(first)).ok_or_else(|| {
            Error::Name(format!("session.first: there is no operation `{}`", session.first))
        })?;
        check_browser(browser)?;
        let rules = session
            .after
            .iter()
            .map(|rule| {
                let next = next_of(all, &rule.next).filter(inside).ok_or_else(|| {
                    Error::Name(format!("session.after: there is no operation `{}`", rule.next))
                })?;
                let text = Template::parse(&rule.contains, names, Encoding::Plain)
                    .map_err(|why| why.at("session.after: "))?;
                Ok((text, next))
            })
            .collect::<Result<_>>()?;
        let pause = browser.pause.as_ref().map(compile_law).transpose();
        Ok(Self {
            operations: part.operations.clone(),
            first,
            max_operations: session.max_operations.unwrap_or(u32::MAX),
            on_failure: session.on_failure,
            retry_after: session.retry_after,
            browser: browser.clone(),
            pause: pause.map_err(|why| why.at("browser.pause: "))?,
            told: names.told(),
            rules,
            forgotten: names.drawn.iter().map(|drawn| !drawn).collect(),
            cumulative: Vec::new(),
        })
    }

    /// Operations that arrive are drawn by these shares of all operations of the program.
    pub(crate) fn draw_by(&mut self, shares: &[f64]) {
        let sums = shares[self.operations.clone()].iter().scan(0.0, |sum, share| {
            *sum += share;
            Some(*sum)
        });
        self.cumulative = sums.collect();
    }
}

fn check_browser(browser: &Browser) -> Result<()> {
    if !(1..=MOST_CONNECTIONS).contains(&browser.connections) {
        return Err(Error::Range(format!("browser.connections: 1 to {MOST_CONNECTIONS}")));
    }
    if !(0.0..=1.0).contains(&browser.warm_share) {
        return Err(Error::Range(format!("browser.warm_share: {} is no share", browser.warm_share)));
    }
    if browser.user_agent.contains(['\r', '\n']) {
        return Err(Error::Text("browser.user_agent: no line ends".into()));
    }
    match browser.cached.iter().find(|prefix| !prefix.starts_with('/')) {
        Some(prefix) => Err(Error::Text(format!("browser.cached: `{prefix}` does not begin with `/`"))),
        None => Ok(()),
    }
}
