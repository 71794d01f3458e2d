//! Plans for the tests of this crate, and tests of what compilation refuses.

use serde_json::{Value as Json, json};

use crate::{Error, Plan, Program, expectations};

/// Two operations; `b` draws and extracts nothing.
pub(crate) fn base() -> Json {
    json!({
        "name": "test", "seed": 1,
        "target": {"host": "127.0.0.1", "port": 80, "authority": "site:80", "base_path": "/app"},
        "load": {"users": 10, "ramp_up_s": 1, "steady_s": 10, "ramp_down_s": 1, "timeout_s": 5},
        "slice": {"index": 0, "of": 1},
        "pacing": {"kind": "cycle", "law": {"kind": "neg-exp", "mean_s": 5, "max_s": 25}},
        "session": {"first": "a"},
        "browser": {"warm_share": 0.6, "revalidate": true, "cached": ["/assets/"], "user_agent": "test"},
        "operations": [
            {"name": "a", "limit_s": 1, "steps": [{"method": "GET", "path": "/"}]},
            {"name": "b", "limit_s": 1, "steps": [{"method": "GET", "path": "/b"}],
             "pacing": {"kind": "think", "law": {"kind": "fixed", "value_s": 2}}}
        ],
        "mix": {"a": {"b": 1}, "b": {"a": 0.75, "end": 0.25}}
    })
}

/// A plan whose first operation draws `name`.
pub(crate) fn plan_drawing(name: &str, value: Json) -> Plan {
    let mut plan = base();
    plan["operations"][0]["draw"] = json!([{"name": name, "value": value}]);
    serde_json::from_value(plan).unwrap()
}

/// A plan whose first step extracts `name`.
pub(crate) fn plan_extracting(name: &str, from: Json) -> Plan {
    let mut plan = base();
    plan["operations"][0]["steps"][0]["extract"] = json!([{"name": name, "from": from}]);
    serde_json::from_value(plan).unwrap()
}

pub(crate) fn program(plan: Plan) -> Program {
    Program::compile(&plan).unwrap()
}

#[test]
fn expectations_of_a_plan() {
    let plan: Plan = serde_json::from_value(base()).unwrap();
    let expected = expectations(&plan).unwrap();
    assert_eq!(expected.mix.values().copied().collect::<Vec<_>>(), [0.5, 0.5]);
    assert!((expected.pace_mean_s["a"] - 4.966).abs() < 0.001);
    assert_eq!(expected.pace_mean_s["b"], 2.0);
}

#[test]
fn what_does_not_resolve_is_refused_by_name() {
    let cases = [
        (
            "/operations/0/steps/0/path",
            json!("/{nobody}"),
            "operation `a`, step 1 (GET /{nobody}), path: template",
        ),
        ("/operations/0/steps/0/path", json!("x"), "path: `x` must begin with `/`"),
        ("/operations/0/steps/0/when", json!(["!x"]), "when: no step sets or extracts a flag `x`"),
        ("/operations/0/steps/0/method", json!("BREW"), "method: `BREW` is none of"),
        ("/operations/0/steps/0/chance", json!(2), "chance: 2 is no probability"),
        (
            "/operations/0/steps/0/headers",
            json!([["Connection", "x"]]),
            "the engine writes `Connection` itself",
        ),
        ("/operations/0/steps/0/expect", json!({"status": []}), "expect.status"),
        (
            "/operations/0/steps/0/expect",
            json!({"status": [200], "json": [["$..x", {"kind": "exists", "wanted": true}]]}),
            "expect.json: `$..x` is no path",
        ),
        (
            "/operations/0/steps/0/expect",
            json!({"status": [200], "headers": [["X", {"kind": "length", "min": 0, "max": 1}]]}),
            "expect.headers: `X` is a field and has no length",
        ),
        (
            "/operations/0/steps/0/expect",
            json!({"status": [200], "min_bytes": 2, "max_bytes": 1}),
            "min_bytes 2 is over",
        ),
        ("/operations/0/steps/0/expect", json!({"status": [200], "within_s": 0}), "expect.within_s"),
        (
            "/operations/0/steps/0/extract",
            json!([{"name": "x", "from": {"kind": "json", "path": "id"}}]),
            "extract `x`: `id` is no path",
        ),
        ("/operations/0/steps/0/set", json!(["user"]), "operation `a`, step 1: set `user`"),
        (
            "/operations/0/steps/0/extract",
            json!([{"name": "x", "from": {"kind": "regex", "pattern": "("}}]),
            "extract `x`",
        ),
        (
            "/operations/0/steps/0/extract",
            json!([{"name": "x", "from": {"kind": "links", "pattern": "/e"}}]),
            "{int}",
        ),
        ("/operations/0/steps", json!([]), "operation `a`, steps: at least one"),
        (
            "/operations/0/draw",
            json!([{"name": "x", "value": {"kind": "choose", "from": "y"}}]),
            "draw `x`: no step extracts a list `y`",
        ),
        (
            "/operations/0/draw",
            json!([{"name": "x", "value": {"kind": "date", "base": "2008-13-01", "low": 0, "high": 1}}]),
            "no date",
        ),
        ("/operations/0/limit_s", json!(0), "operation `a`, limit_s"),
        ("/operations/1/name", json!("a"), "name of its own"),
        ("/session/first", json!("c"), "session.first: there is no operation `c`"),
        ("/mix/a", json!({"c": 1}), "mix, row `a`: the column `c`"),
        ("/slice", json!({"index": 1, "of": 1}), "slice"),
        ("/load/users", json!(0), "load.users"),
        ("/load/timeout_s", json!(0), "load.timeout_s"),
        ("/load/profile", json!([[5, 1], [1, 2]]), "load.profile"),
        ("/load/operations", json!(100), "no ramp-up"),
        ("/browser/warm_share", json!(1.5), "browser.warm_share"),
        ("/pacing/law", json!({"kind": "neg-exp", "mean_s": 5, "max_s": 1}), "pacing"),
        ("/target/base_path", json!("app/"), "target.base_path"),
        (
            "/target/hosts",
            json!({"api": {"host": "", "port": 1, "authority": "a", "base_path": ""}}),
            "target.hosts.api.host",
        ),
        ("/operations/0/steps/0/host", json!("api"), "the target has no host `api`"),
        ("/target/proxy_authorization", json!("Basic a\r\nX: y"), "it is no value of a header field"),
        ("/operations/0/own", json!(2), "operation `a`, own: 2 of 1 steps"),
        ("/operations/0/own", json!(0), "operation `a`, own: 0 of 1 steps"),
        ("/operations/0/steps/0/renewal", json!([0, 1]), "step 1, renewal: steps 0 to 1 are not behind"),
        ("/operations/0/steps/0/renewal", json!([1, 1]), "step 1, renewal: steps 1 to 2 are not behind"),
    ];
    for (place, value, part) in cases {
        let mut plan = base();
        match plan.pointer_mut(place) {
            Some(old) => *old = value,
            None => {
                let (parent, key) = place.rsplit_once('/').unwrap();
                plan.pointer_mut(parent).unwrap()[key] = value;
            }
        }
        let plan: Plan = serde_json::from_value(plan).unwrap();
        let why = Program::compile(&plan).err().unwrap_or_else(|| panic!("{place} was accepted")).to_string();
        assert!(why.contains(part), "{place}: {why}");
    }
}

#[test]
fn what_renews_is_no_loop_and_renewed_by_nothing() {
    let refused = |more: Json| {
        let mut plan = base();
        let mut renews = json!({"method": "GET", "path": "/token"});
        renews.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        plan["operations"][0]["own"] = json!(1);
        plan["operations"][0]["steps"] = json!([{"method": "GET", "path": "/", "renewal": [1, 1]}, renews]);
        Program::compile(&serde_json::from_value(plan).unwrap()).err().map(|why| why.to_string())
    };
    assert_eq!(refused(json!({})), None);
    for (more, part) in [
        (json!({"renewal": [1, 1]}), "step 2, renewal: it renews others"),
        (json!({"repeat": {"times": [2, 2], "steps": 1}}), "step 2, it renews others, and can be no loop"),
        (json!({"socket": {"kind": "open"}}), "step 2, it renews others, and can be no loop"),
    ] {
        let why = refused(more.clone()).unwrap_or_else(|| panic!("{more} was accepted"));
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn a_number_of_operations_is_enough_for_every_user_and_agent() {
    let refused = |operations: u32, agents: u32| {
        let mut plan = base();
        plan["load"] = json!({"users": 4, "ramp_up_s": 0, "steady_s": 10, "ramp_down_s": 0, "timeout_s": 5,
                              "operations": operations});
        plan["slice"] = json!({"index": 0, "of": agents});
        Program::compile(&serde_json::from_value(plan).unwrap()).err()
    };
    assert_eq!(refused(4, 4), None);
    let range = |said: &str| Some(Error::Range(said.into()));
    assert_eq!(refused(3, 1), range("load.operations: 3 are too few for 4 users"));
    assert_eq!(refused(9, 5), range("slice: an agent of 5 has none of 4 users"));
}

#[test]
fn one_name_means_one_thing() {
    let mut plan = base();
    plan["operations"][0]["draw"] = json!([{"name": "x", "value": {"kind": "int", "low": 1, "high": 2}}]);
    plan["operations"][1]["steps"][0]["set"] = json!(["x"]);
    let why = Program::compile(&serde_json::from_value(plan).unwrap()).unwrap_err();
    assert_eq!(
        why.to_string(),
        "operation `b`, step 1: set `x`: the name already stands for something of another kind (value, list or flag)"
    );
}

/// The plan of [`base`] as one of two scenarios: the other one has the operation `c`.
fn two() -> Json {
    let mut plan = base();
    let all = plan.as_object_mut().unwrap();
    let (session, browser) = (all.remove("session").unwrap(), all.remove("browser").unwrap());
    let other = json!({"first": "c"});
    plan["operations"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "c", "limit_s": 1, "steps": [{"method": "GET", "path": "/c"}]}));
    plan["mix"]["c"] = json!({"c": 1});
    plan["scenarios"] = json!([
        {"name": "ab", "weight": 2, "operations": 2, "session": session, "browser": browser},
        {"name": "c", "weight": 1, "operations": 1, "session": other, "browser": browser},
    ]);
    plan
}

#[test]
fn shares_are_those_within_a_scenario() {
    let plan: Plan = serde_json::from_value(two()).unwrap();
    let expected = expectations(&plan).unwrap();
    assert_eq!(expected.mix.values().copied().collect::<Vec<_>>(), [0.5, 0.5, 1.0]);
}

#[test]
fn scenarios_are_each_for_itself() {
    let refused = |change: &dyn Fn(&mut Json)| {
        let mut plan = two();
        change(&mut plan);
        let plan: Plan = serde_json::from_value(plan).unwrap();
        Program::compile(&plan).err().map(|why| why.to_string()).unwrap_or_default()
    };
    assert_eq!(refused(&|_| {}), "");
    let said = [
        refused(&|plan| plan["mix"]["a"] = json!({"c": 1})),
        refused(&|plan| plan["scenarios"][1]["session"]["first"] = json!("a")),
        refused(&|plan| plan["scenarios"][1]["session"]["after"] = json!([{"contains": "x", "next": "b"}])),
        refused(&|plan| plan["scenarios"][1]["operations"] = json!(2)),
        refused(&|plan| plan["scenarios"][1]["weight"] = json!(0)),
        refused(&|plan| plan["session"] = json!({"first": "a"})),
    ];
    let wanted = [
        "scenario `ab`, mix: `a` leads to another scenario",
        "scenario `c`, session.first: there is no operation `a`",
        "scenario `c`, session.after: there is no operation `b`",
        "they have 4 operations, the plan 3",
        "with weights from 1 on",
        "each of several scenarios has its own",
    ];
    for (said, wanted) in said.iter().zip(wanted) {
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn a_name_of_one_scenario_means_nothing_in_another() {
    let mut plan = two();
    plan["operations"][0]["draw"] = json!([{"name": "x", "value": {"kind": "int", "low": 1, "high": 2}}]);
    plan["operations"][2]["steps"][0]["set"] = json!(["x"]);
    let both: Plan = serde_json::from_value(plan.clone()).unwrap();
    assert!(Program::compile(&both).is_ok());
    plan["operations"][2]["steps"][0] = json!({"method": "GET", "path": "/{x}"});
    let used: Plan = serde_json::from_value(plan).unwrap();
    assert!(Program::compile(&used).unwrap_err().to_string().contains("`x`"));
}

#[test]
fn one_scenario_is_the_plan_without_it() {
    let alone: Plan = serde_json::from_value(base()).unwrap();
    let mut named = base();
    let all = named.as_object_mut().unwrap();
    let (session, browser) = (all.remove("session").unwrap(), all.remove("browser").unwrap());
    named["scenarios"] =
        json!([{"name": "x", "weight": 5, "operations": 2, "session": session, "browser": browser}]);
    let named: Plan = serde_json::from_value(named).unwrap();
    let walk = |plan: &Plan| {
        let program = program(plan.clone());
        let mut state = crate::State::new(&program, 3);
        let mut at = program.scenario_of(&state).first;
        (0..200)
            .map(|_| {
                let next = program.next(at, &mut state);
                at = program.target_of(next, &state);
                at
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(walk(&named), walk(&alone));
    assert_eq!(expectations(&named), expectations(&alone));
}
