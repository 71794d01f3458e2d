//! Calls of functions that are no part of the engine, compiled.

use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::names::Names;
use crate::template::Template;
use crate::{Call, State};

/// Most bytes of a value that a function returns: every user may hold several.
pub const MOST_RETURNED: usize = 1 << 20;

/// A compiled [`Call`].
#[derive(Debug, Clone)]
pub struct CompiledCall {
    /// Index among the functions of the plan.
    pub function: usize,
    /// Names of its parameters.
    pub parameters: Box<[String]>,
    /// What each of them is given.
    arguments: Box<[Template]>,
    /// It is given the latest answer, too.
    pub answer: bool,
    /// Names of what it returns,
    pub returns: Box<[String]>,
    /// and the values that these are.
    slots: Box<[usize]>,
}

impl CompiledCall {
    pub(crate) fn compile(call: &Call, names: &Names) -> Result<Self> {
        if call.function >= names.functions {
            return Err(Error::Range(format!("call: the plan has no function {}", call.function)));
        }
        let argument = |(name, text): &(String, String)| {
            Template::parse(text, names, Encoding::Plain)
                .map_err(|why| why.at(format!("call, argument `{name}`: ")))
        };
        Ok(Self {
            function: call.function,
            parameters: call.arguments.iter().map(|(name, _)| name.clone()).collect(),
            arguments: call.arguments.iter().map(argument).collect::<Result<_>>()?,
            answer: call.answer,
            returns: call.returns.clone().into(),
            slots: call.returns.iter().map(|name| names.value(name)).collect::<Result<_>>()?,
        })
    }

    /// What the function is given for a user, in the order of its parameters.
    pub fn given(&self, state: &State) -> Vec<Vec<u8>> {
        let rendered = |argument: &Template| {
            let mut text = Vec::new();
            argument.render(state, &mut text);
            text
        };
        self.arguments.iter().map(rendered).collect()
    }

    /// The user knows from now on what the function returned, in the order of its names.
    pub fn take(&self, returned: &[Vec<u8>], state: &mut State) {
        for (slot, value) in self.slots.iter().zip(returned) {
            state.set_value(*slot, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::tests::{base, program};
    use crate::{Plan, Program};

    fn plan(call: Json) -> Plan {
        let mut plan = base();
        plan["functions"] = json!([{"name": "sign.py:sign", "file": "/sign.py", "sha256": "00"}]);
        plan["operations"] = json!([{"name": "a", "limit_s": 1, "steps": [
            {"method": "GET", "path": "/", "call": call},
            {"method": "GET", "path": "/{stamp}"},
        ]}]);
        plan["session"]["first"] = json!("a");
        plan["mix"] = json!({"a": {"a": 1}});
        serde_json::from_value(plan).unwrap()
    }

    #[test]
    fn it_is_given_texts_and_returns_values() {
        let program = program(plan(json!({
            "function": 0, "arguments": [["who", "user {user}"], ["old", "{stamp}"]], "returns": ["stamp"]
        })));
        let call = program.operations[0].steps[0].call.as_deref().unwrap();
        let mut state = State::new(&program, 7);
        assert_eq!(call.given(&state), [&b"user 7"[..], b""]);
        call.take(&[b"now".to_vec()], &mut state);
        assert_eq!(call.given(&state)[1], b"now");
        state.begin_session(&program);
        assert_eq!(call.given(&state)[1], b"", "the next session knows nothing of it");
    }

    #[test]
    fn refusals_name_the_trouble() {
        for (call, part) in [
            (json!({"function": 1, "arguments": [], "returns": []}), "no function 1"),
            (json!({"function": 0, "arguments": [["who", "{nobody}"]], "returns": []}), "argument `who`"),
            (json!({"function": 0, "arguments": [], "returns": ["user"]}), "`user`"),
        ] {
            let why = Program::compile(&plan(call)).unwrap_err().to_string();
            assert!(why.contains(part), "{why}");
        }
    }
}
