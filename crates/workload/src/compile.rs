//! From a plan to a program: every name resolved, every template parsed, every number checked.

use std::sync::Arc;

use loadstone_stats::{self as stats, Era, ExponentialRank, Law as Compiled, Rng, Zipf};

use crate::arrivals;
use crate::deal::Deal;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::extract::Site;
use crate::generator::{Generator, days_of};
use crate::mix::Mix;
use crate::names::Names;
use crate::program::{CompiledOperation, CompiledPacing, Program, long_run_shares};
use crate::renewal::check_renewals;
use crate::scenario::{CompiledScenario, Planned};
use crate::step::{CompiledStep, Fillers, timeout_us};
use crate::template::Template;
use crate::{ArrivalLaw, Http, Law, Load, Locality, NameEra, Operation, Pacing, Place, Plan, Target, Value};

/// Longest time that is accepted, in seconds: a year; beyond it a unit was mistaken.
pub(crate) const MAX_SECONDS: f64 = 366.0 * 86_400.0;
/// Most items or characters of a drawn value.
const MAX_LENGTH: u32 = 1 << 20;
/// Most hosts beside the target's own: a session may have a connection to each.
const MOST_HOSTS: usize = 32;
/// Most sessions, or operations, that arrive.
const MOST_ARRIVALS: f64 = 1e9;
/// Draws of a sequence with locality; then it begins again.
const SEQUENCE: u32 = 1 << 17;
/// Stream of the random numbers of sequences: behind those of values and walks of all possible users.
const SEQUENCES: u64 = 1 << 33;

pub(crate) fn compile(plan: &Plan) -> Result<Program> {
    check_load(&plan.load)?;
    check_site(plan)?;
    if plan.load.operations.is_some() && plan.slice.of > plan.load.users {
        // Its part of the operations would never be made.
        return Err(Error::Range(format!(
            "slice: an agent of {} has none of {} users",
            plan.slice.of, plan.load.users
        )));
    }
    let operation_names: Vec<&str> = plan.operations.iter().map(|o| o.name.as_str()).collect();
    for (index, name) in operation_names.iter().enumerate() {
        if name.is_empty() || operation_names[..index].contains(name) {
            return Err(Error::Name(format!("operation `{name}`: every operation needs a name of its own")));
        }
    }
    let parts = Planned::of(plan)?;
    let mix = Mix::compile(&operation_names, &plan.mix)?;
    let population = match plan.load.rate() {
        Some(_) => arrivals::most(&plan.load),
        None => plan.load.profile.iter().map(|(_, users)| *users as u32).fold(plan.load.users, u32::max),
    };
    let mut fillers = Fillers::new(plan.seed);
    let (mut operations, mut scenarios, mut counters) = (Vec::new(), Vec::new(), Vec::new());
    let (mut values, mut lists, mut serials) = (0, 0, 0);
    for part in &parts {
        let own = &plan.operations[part.operations.clone()];
        let names = Names::collect(plan, own, counters)?;
        let mut compiled = own
            .iter()
            .map(|operation| {
                compile_operation(operation, plan.pacing.as_ref(), &names, &mut fillers)
                    .map_err(|why| why.at(format!("operation `{}`, ", operation.name)))
            })
            .collect::<Result<Vec<_>>>()?;
        let scenario = CompiledScenario::compile(part, &operation_names, &mix, &names)
            .map_err(|why| why.at(part.place()))?;
        if !scenario.rules.is_empty() {
            compiled.iter_mut().flat_map(|one| &mut one.steps).for_each(|step| step.reads_body = true);
        }
        operations.append(&mut compiled);
        scenarios.push(scenario);
        values = values.max(names.drawn.len());
        (lists, serials) = (lists.max(names.lists), serials.max(names.serials.len()));
        counters = names.counters;
    }
    if operations.iter().flat_map(|operation| &operation.steps).any(|step| step.socket.is_some()) {
        check_sockets(plan)?;
    }
    keep_answers(&mut operations);
    let places = plan.target.places();
    let by_chance = plan.load.rate().is_some() && plan.load.arrivals == ArrivalLaw::Poisson;
    let weights: Vec<u32> = parts.iter().map(|part| part.weight).collect();
    let mut program = Program {
        seed: plan.seed,
        sites: places.iter().map(site_of).collect(),
        places,
        http: plan.target.http,
        proxy: plan.target.proxy.clone(),
        proxy_field: proxy_field(&plan.target)?,
        from: plan.target.from.clone(),
        load: plan.load.clone(),
        slice: (plan.slice.index, plan.slice.of),
        population,
        operations,
        scenarios,
        deal: Deal::new(&weights, by_chance.then_some(plan.seed))?,
        mix,
        counters,
        functions: plan.functions.iter().map(|function| function.name.clone()).collect(),
        values,
        lists,
        serials,
    };
    if plan.load.requests_per_s.is_some() {
        for number in 0..program.scenarios.len() {
            let (shares, _) = long_run_shares(&program, number)?;
            program.scenarios[number].draw_by(&shares);
        }
    }
    Ok(program)
}

/// Where a function is given the latest answer of its operation, each of them is kept until the next one.
fn keep_answers(operations: &mut [CompiledOperation]) {
    let gives = |step: &CompiledStep| step.call.as_ref().is_some_and(|call| call.answer);
    for operation in operations.iter_mut().filter(|operation| operation.steps.iter().any(gives)) {
        for step in operation.steps.iter_mut().filter(|step| step.call.is_none()) {
            step.keeps_answer = true;
            // A message of a WebSocket is only awaited where something is expected of it.
            step.reads_body |= step.socket.is_none();
        }
    }
}

/// The line of a head that tells a proxy who asks.
fn proxy_field(target: &Target) -> Result<String> {
    let Some(value) = &target.proxy_authorization else { return Ok(String::new()) };
    // The value is a secret, so that the message does not show it.
    if value.is_empty() || !value.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return Err(Error::Text("target.proxy_authorization: it is no value of a header field".into()));
    }
    Ok(format!("Proxy-Authorization: {value}\r\n"))
}

/// A WebSocket is a session's, and begins with a request by HTTP/1.1.
fn check_sockets(plan: &Plan) -> Result<()> {
    if plan.target.http == Http::Two {
        return Err(Error::Conflict("steps with a WebSocket: they are for HTTP/1.1, not for HTTP/2".into()));
    }
    if plan.load.requests_per_s.is_some() {
        return Err(Error::Conflict("steps with a WebSocket: requests at a rate have no sessions".into()));
    }
    Ok(())
}

fn check_load(load: &Load) -> Result<()> {
    let spans = [
        ("ramp_up_s", load.ramp_up_s, 0.0),
        ("steady_s", load.steady_s, f64::MIN_POSITIVE),
        ("ramp_down_s", load.ramp_down_s, 0.0),
        ("timeout_s", load.timeout_s, 1e-3),
    ];
    for (name, value, least) in spans {
        if !(least..=MAX_SECONDS).contains(&value) {
            return Err(Error::Range(format!("load.{name}: {value} s is out of range")));
        }
    }
    check_kind(load)?;
    if let Some(operations) = load.operations {
        if load.ramp_up_s > 0.0 || load.ramp_down_s > 0.0 || !load.profile.is_empty() {
            return Err(Error::Conflict(
                "load.operations: such a run has no ramp-up, ramp-down or profile".into(),
            ));
        }
        if operations < load.users {
            return Err(Error::Range(format!(
                "load.operations: {operations} are too few for {} users",
                load.users
            )));
        }
    }
    let times: Vec<f64> = load.profile.iter().map(|(at, _)| *at).collect();
    if times.iter().any(|at| !(0.0..=MAX_SECONDS).contains(at)) || !times.is_sorted() {
        return Err(Error::Range("load.profile: times count from the end of ramp-up and ascend".into()));
    }
    let most = if load.rate().is_some() { f64::MAX } else { f64::from(u32::MAX) };
    if load.profile.iter().any(|(_, load)| !(0.0..=most).contains(load)) {
        return Err(Error::Range("load.profile: a load is a number from 0".into()));
    }
    Ok(())
}

/// Users stay, or sessions arrive, or operations do.
fn check_kind(load: &Load) -> Result<()> {
    let Some(rate) = load.rate() else {
        return if load.users == 0 {
            Err(Error::Range("load.users: at least one user".into()))
        } else {
            Ok(())
        };
    };
    if load.users > 0
        || load.operations.is_some()
        || (load.sessions_per_s.is_some() && load.requests_per_s.is_some())
    {
        return Err(Error::Conflict(
            "load: users stay, or sessions arrive at a rate, or requests do; and none of these has `operations` \
             but users"
                .into(),
        ));
    }
    // NaN is no rate either.
    if !(rate > 0.0 && arrivals::mean(load) <= MOST_ARRIVALS) {
        return Err(Error::Range(format!(
            "load: {rate} a second is no rate of at most {MOST_ARRIVALS} arrivals in all"
        )));
    }
    if load.requests_per_s.is_some() && load.connections.unwrap_or(0) == 0 {
        return Err(Error::Range("load.connections: requests take at least one connection".into()));
    }
    Ok(())
}

fn site_of(place: &Place) -> Site {
    Site { origin: place.origin().into_bytes().into(), base_path: place.base_path.as_bytes().into() }
}

/// Whether a text can stand nowhere in the head of a request.
fn is_broken(text: &str) -> bool {
    text.bytes().any(|b| b <= b' ' || b == 127)
}

fn check_place(place: &Place) -> Result<()> {
    if place.host.is_empty() || place.port == 0 || is_broken(&place.host) {
        return Err(Error::Range("host: a host and a port from 1 on".into()));
    }
    if place.authority.is_empty() || is_broken(&place.authority) {
        return Err(Error::Text(format!("authority: `{}` cannot stand in a Host header", place.authority)));
    }
    let base = &place.base_path;
    if is_broken(base) || base.ends_with('/') || !(base.is_empty() || base.starts_with('/')) {
        return Err(Error::Text(format!(
            "base_path: `{base}` must be empty or begin, and not end, with `/`"
        )));
    }
    Ok(())
}

fn check_site(plan: &Plan) -> Result<()> {
    let target = &plan.target;
    for (number, place) in target.places().iter().enumerate() {
        let name = number.checked_sub(1).and_then(|at| target.hosts.keys().nth(at));
        let at = name.map_or("target".into(), |name| format!("target.hosts.{name}"));
        check_place(place).map_err(|why| why.at(format!("{at}.")))?;
    }
    if target.hosts.len() > MOST_HOSTS {
        return Err(Error::Range(format!("target.hosts: at most {MOST_HOSTS}")));
    }
    if !target.hosts.is_empty() && target.http == Http::Two && plan.load.requests_per_s.is_some() {
        return Err(Error::Conflict(
            "target.hosts: requests at a rate share connections to one host by HTTP/2".into(),
        ));
    }
    if plan.slice.index >= plan.slice.of {
        return Err(Error::Range(format!(
            "slice: there is no agent {} of {}",
            plan.slice.index, plan.slice.of
        )));
    }
    Ok(())
}

fn compile_operation(
    operation: &Operation,
    pacing: Option<&Pacing>,
    names: &Names,
    fillers: &mut Fillers,
) -> Result<CompiledOperation> {
    if !(1e-6..=MAX_SECONDS).contains(&operation.limit_s) {
        return Err(Error::Range(format!("limit_s: {} is out of range", operation.limit_s)));
    }
    if operation.steps.is_empty() {
        return Err(Error::Range("steps: at least one request".into()));
    }
    let pacing = operation.pacing.as_ref().or(pacing);
    let pacing = pacing.ok_or_else(|| Error::Range("pacing: neither it nor the plan has one".into()))?;
    let draws = operation
        .draw
        .iter()
        .map(|draw| {
            let generator =
                compile_value(&draw.value, names).map_err(|why| why.at(format!("draw `{}`: ", draw.name)))?;
            Ok((names.value(&draw.name)?, generator))
        })
        .collect::<Result<_>>()?;
    let steps = operation.steps.iter().enumerate().map(|(index, step)| {
        CompiledStep::compile(step, names, fillers)
            .and_then(|compiled| match &compiled.repeat {
                Some(repeat) if repeat.back > index => {
                    Err(Error::Range(format!("repeat: only {} steps stand up to here", index + 1)))
                }
                _ => Ok(compiled),
            })
            .map_err(|why| why.at(format!("step {} ({} {}), ", index + 1, step.method, step.path)))
    });
    let steps: Vec<CompiledStep> = steps.collect::<Result<_, _>>()?;
    let own = operation.own.map_or(steps.len(), |own| own as usize);
    check_renewals(&steps, own)?;
    Ok(CompiledOperation {
        name: operation.name.clone(),
        limit_us: (operation.limit_s * 1e6) as u64,
        timeout_us: timeout_us(operation.timeout_s)?,
        pacing: CompiledPacing {
            kind: pacing.kind,
            law: compile_law(&pacing.law).map_err(|why| why.at("pacing: "))?,
        },
        steps,
        own,
        draws,
    })
}

pub(crate) fn compile_law(law: &Law) -> Result<Compiled> {
    let inside = |values: &[f64]| values.iter().all(|v| (0.0..=MAX_SECONDS).contains(v));
    let (right, compiled) = match *law {
        Law::Fixed { value_s } => (inside(&[value_s]), Compiled::Fixed(value_s)),
        Law::Uniform { low_s, high_s } => {
            (inside(&[low_s, high_s]) && low_s <= high_s, Compiled::Uniform { low: low_s, high: high_s })
        }
        Law::NegExp { mean_s, min_s, max_s } => (
            inside(&[mean_s, min_s, max_s]) && min_s <= mean_s && mean_s <= max_s,
            Compiled::NegExp { mean: mean_s, min: min_s, max: max_s },
        ),
        Law::LogNormal { mu, sigma, max_s } => (
            mu.is_finite() && sigma > 0.0 && sigma.is_finite() && inside(&[max_s]) && max_s > 0.0,
            Compiled::LogNormal { mu, sigma, max: max_s },
        ),
        Law::Pareto { k_s, alpha, max_s } => (
            inside(&[k_s, max_s]) && k_s > 0.0 && alpha > 0.0 && alpha.is_finite() && k_s <= max_s,
            Compiled::Pareto { scale: k_s, shape: alpha, max: max_s },
        ),
        Law::Weibull { scale_s, shape, max_s } => (
            inside(&[scale_s, max_s]) && scale_s > 0.0 && shape > 0.0 && shape.is_finite() && max_s > 0.0,
            Compiled::Weibull { scale: scale_s, shape, max: max_s },
        ),
    };
    if right {
        Ok(compiled)
    } else {
        Err(Error::Range(format!("{law:?} is no law of times from 0 to a year")))
    }
}

fn compile_value(value: &Value, names: &Names) -> Result<Generator> {
    let template = |text: &str| Template::parse(text, names, Encoding::Plain);
    let ordered = |low: u32, high: u32| match low <= high && high <= MAX_LENGTH {
        true => Ok(()),
        false => Err(Error::Range(format!("from {low} to {high} is no range up to {MAX_LENGTH}"))),
    };
    Ok(match value {
        Value::Int { low, high } if low > high => {
            return Err(Error::Range(format!("from {low} to {high} is no range")));
        }
        Value::Int { low, high } => Generator::Int(*low, *high),
        Value::Slice { count } => Generator::Slice(positive(*count)?),
        Value::Serial { start, count } => Generator::Serial {
            start: *start,
            count: count.map_or(Ok(u64::MAX), positive)?,
            sequence: names.sequence(value),
        },
        Value::Rank { count, scale } if *scale > 0.0 && scale.is_finite() => {
            Generator::Rank(ExponentialRank { count: positive(*count)?, scale: *scale })
        }
        Value::Rank { scale, .. } => return Err(Error::Range(format!("the scale {scale} is not above 0"))),
        Value::Zipf { exponent, .. } if !(*exponent > 0.0 && exponent.is_finite()) => {
            return Err(Error::Range(format!("the exponent {exponent} is not above 0")));
        }
        Value::Zipf { count, exponent, locality: None } => {
            Generator::Zipf(Zipf::new(positive(*count)?, *exponent))
        }
        Value::Zipf { count, exponent, locality: Some(Locality { mu, sigma }) } => Generator::Shared {
            ranks: ranks(*count, *exponent, *mu, *sigma, names)?,
            sequence: names.sequence(value),
        },
        Value::Words { low, high } => {
            ordered(*low, *high)?;
            Generator::Words(*low, *high)
        }
        Value::Letters { low, high, capital } => {
            ordered(*low, *high)?;
            Generator::Letters { low: *low, high: *high, capital: *capital }
        }
        Value::Digits { count } => {
            ordered(*count, *count)?;
            Generator::Digits(*count)
        }
        Value::Pick { from } if from.is_empty() => return Err(Error::Range("nothing to pick from".into())),
        Value::Pick { from } => {
            Generator::Pick(from.iter().map(|text| template(text)).collect::<Result<_, _>>()?)
        }
        Value::Date { base, low, high } => {
            let day = days_of(base)
                .ok_or_else(|| Error::Text(format!("`{base}` is no date such as 2008-10-22")))?;
            let (from, to) = (day.saturating_add(*low), day.saturating_add(*high));
            // Years of four digits: 0001-01-01 to 9999-12-31.
            if low > high || from < -719_162 || to > 2_932_896 {
                return Err(Error::Range(format!("from {low} to {high} days is no range of days")));
            }
            Generator::Date(from, to)
        }
        Value::Username { id, era } => {
            let era = match era {
                NameEra::Release => Era::Release,
                NameEra::Paper => Era::Paper,
                NameEra::Words => Era::Words,
            };
            Generator::Username(Box::new(compile_value(id, names)?), era)
        }
        Value::Choose { from } => Generator::Choose(names.list(from)?),
        Value::Text { text } => Generator::Text(template(text)?),
        Value::List { low, high, separator, distinct, item } => {
            ordered(*low, *high)?;
            let (separator, item) = (separator.as_str().into(), Box::new(compile_value(item, names)?));
            Generator::List { low: *low, high: *high, separator, distinct: *distinct, item }
        }
        Value::Column { cells, .. } if cells.is_empty() => {
            return Err(Error::Range("the column is empty".into()));
        }
        Value::Column { cells, row } => Generator::Column {
            cells: cells.clone(),
            row: row.as_ref().map(|row| template(row)).transpose()?,
        },
    })
}

/// The sequence that all users, of all agents, go through: it follows from the plan's seed.
fn ranks(count: i64, exponent: f64, mu: f64, sigma: f64, names: &Names) -> Result<Arc<[u32]>> {
    let count = u32::try_from(positive(count)?).ok().filter(|count| *count <= SEQUENCE);
    let count = count.ok_or_else(|| Error::Range(format!("locality: no more than {SEQUENCE} ranks")))?;
    if !(mu.is_finite() && sigma > 0.0 && sigma.is_finite()) {
        return Err(Error::Range(format!("locality: mu {mu} and sigma {sigma} are no log-normal law")));
    }
    let mut rng = Rng::stream(names.seed, SEQUENCES);
    Ok(stats::Locality { count, exponent, mu, sigma }.sequence(SEQUENCE, &mut rng).into())
}

fn positive(count: i64) -> Result<u64> {
    u64::try_from(count)
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| Error::Range(format!("the count {count} is not above 0")))
}
