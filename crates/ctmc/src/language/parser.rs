//! Tokens to a model.

use super::lexer::{Kind, Place, Token, tokens};
use super::syntax::{
    Command, Constant, Definition, Expression, Model, Module, Named, Rewards, Type, Variable,
};
use crate::error::{Error, Result};

pub(super) const KEYWORDS: [&str; 26] = [
    "bool",
    "const",
    "ctmc",
    "double",
    "dtmc",
    "endinit",
    "endmodule",
    "endrewards",
    "endsystem",
    "false",
    "formula",
    "global",
    "init",
    "int",
    "label",
    "max",
    "mdp",
    "min",
    "module",
    "nondeterministic",
    "probabilistic",
    "rewards",
    "rate",
    "stochastic",
    "system",
    "true",
];

/// Variables and commands that renaming may copy, lest a short text fills the memory.
const MOST_COPIED: usize = 1_000_000;

/// The model that `text` describes. Errors name the place.
pub fn parse(text: &str) -> Result<Model> {
    Parser { tokens: tokens(text)?, at: 0, depth: 0, copied: 0 }.model()
}

/// The one expression that `text` is.
pub fn parse_expression(text: &str) -> Result<Expression> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, copied: 0 };
    let found = parser.expression()?;
    if parser.peek() == &Kind::End { Ok(found) } else { Err(parser.unexpected("the end")) }
}

/// A place among tokens.
pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    pub(super) depth: usize,
    /// Variables and commands that renaming has copied.
    copied: usize,
}

impl Parser {
    pub(super) fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    pub(super) fn place(&self) -> Place {
        self.tokens[self.at].place
    }

    pub(super) fn advance(&mut self) {
        // The last token is the end; nothing goes past it.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Error {
        let found = match self.peek() {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Int(value) => format!("`{value}`"),
            Kind::Real(value) => format!("`{value}`"),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::End => "the end".to_owned(),
        };
        self.place().error(format!("expected {wanted}, found {found}"))
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(found) if *found == sign)
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn need(&mut self, sign: &str) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Name(found) if found == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn name(&mut self, what: &str) -> Result<Named> {
        match self.peek() {
            Kind::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                let named = Named { name: name.clone(), place: self.place() };
                self.advance();
                Ok(named)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn text(&mut self, what: &str) -> Result<Named> {
        let Kind::Text(text) = self.peek() else { return Err(self.unexpected(what)) };
        let named = Named { name: text.clone(), place: self.place() };
        self.advance();
        Ok(named)
    }

    fn model(&mut self) -> Result<Model> {
        if !self.eat_word("ctmc") && !self.eat_word("stochastic") {
            return Err(self.unexpected("`ctmc`, the only kind of model that is solved,"));
        }
        let mut model = Model::default();
        loop {
            let Kind::Name(word) = self.peek().clone() else {
                return if self.peek() == &Kind::End {
                    Ok(model)
                } else {
                    Err(self.unexpected("a declaration"))
                };
            };
            let place = self.place();
            self.advance();
            match word.as_str() {
                "const" | "rate" => model.constants.push(self.constant()?),
                "formula" => {
                    let name = self.name("a name")?;
                    model.formulas.push(self.definition(name)?);
                }
                "label" => {
                    let name = self.text("a label in quotes")?;
                    model.labels.push(self.definition(name)?);
                }
                "global" => model.globals.push(self.variable()?),
                "module" => {
                    let module = self.module(&model.modules)?;
                    model.modules.push(module);
                }
                "rewards" => model.rewards.push(self.rewards()?),
                "init" => {
                    return Err(
                        place.error("several initial states are not supported: give variables an `init`")
                    );
                }
                "system" => return Err(place.error("`system` is not supported: modules run in parallel")),
                _ => return Err(place.error(format!("`{word}` starts no declaration"))),
            }
        }
    }

    fn constant(&mut self) -> Result<Constant> {
        let kind = if self.eat_word("double") || self.eat_word("rate") {
            Type::Real
        } else if self.eat_word("bool") {
            Type::Bool
        } else {
            self.eat_word("int");
            Type::Int
        };
        let name = self.name("a name")?;
        let value = if self.eat("=") { Some(self.expression()?) } else { None };
        self.need(";")?;
        Ok(Constant { name, kind, value })
    }

    fn definition(&mut self, name: Named) -> Result<Definition> {
        self.need("=")?;
        let value = self.expression()?;
        self.need(";")?;
        Ok(Definition { name, value })
    }

    fn variable(&mut self) -> Result<Variable> {
        let name = self.name("a variable")?;
        self.need(":")?;
        let range = if self.eat_word("bool") {
            None
        } else {
            self.need("[")?;
            let low = self.expression()?;
            self.need("..")?;
            let high = self.expression()?;
            self.need("]")?;
            Some((low, high))
        };
        let start = if self.eat_word("init") { Some(self.expression()?) } else { None };
        self.need(";")?;
        Ok(Variable { name, range, start })
    }

    fn module(&mut self, earlier: &[Module]) -> Result<Module> {
        let name = self.name("a module's name")?;
        if self.eat("=") {
            return self.renamed(name, earlier);
        }
        let mut module = Module { name, variables: Vec::new(), commands: Vec::new(), renaming: Vec::new() };
        while !self.eat_word("endmodule") {
            if self.is("[") {
                module.commands.push(self.command()?);
            } else if module.commands.is_empty() {
                module.variables.push(self.variable()?);
            } else {
                return Err(self.unexpected("a command or `endmodule`"));
            }
        }
        Ok(module)
    }

    fn renamed(&mut self, name: Named, earlier: &[Module]) -> Result<Module> {
        let base = self.name("the module to rename")?;
        let Some(base_module) = earlier.iter().find(|module| module.name.name == base.name) else {
            return Err(base.place.error(format!("no module `{}` stands above", base.name)));
        };
        if !base_module.renaming.is_empty() {
            return Err(base
                .place
                .error(format!("`{}` is itself renamed: rename what it was made from", base.name)));
        }
        self.copied += base_module.size();
        if self.copied > MOST_COPIED {
            let message = format!("renamed modules come to more than {MOST_COPIED} variables and commands");
            return Err(base.place.error(message));
        }
        let mut module = Module { name, ..base_module.clone() };
        self.need("[")?;
        loop {
            let old = self.name("a name")?.name;
            self.need("=")?;
            module.renaming.push((old, self.name("a name")?.name));
            if !self.eat(",") {
                break;
            }
        }
        self.need("]")?;
        if self.eat_word("endmodule") { Ok(module) } else { Err(self.unexpected("`endmodule`")) }
    }

    fn command(&mut self) -> Result<Command> {
        let place = self.place();
        self.need("[")?;
        let action = if self.is("]") { None } else { Some(self.name("an action")?.name) };
        self.need("]")?;
        let guard = self.expression()?;
        self.need("->")?;
        let mut alternatives = Vec::new();
        loop {
            let rate = if self.assigns() {
                None
            } else {
                let rate = self.expression()?;
                self.need(":")?;
                Some(rate)
            };
            alternatives.push((rate, self.assignments()?));
            if !self.eat("+") {
                break;
            }
        }
        self.need(";")?;
        Ok(Command { place, action, guard, alternatives })
    }

    /// Whether an update comes next, and not the rate of one.
    fn assigns(&self) -> bool {
        let kind = |ahead: usize| self.tokens.get(self.at + ahead).map(|token| &token.kind);
        let sign =
            |ahead: usize, wanted: &str| matches!(kind(ahead), Some(Kind::Sign(found)) if *found == wanted);
        (sign(0, "(") && matches!(kind(1), Some(Kind::Name(_))) && sign(2, "'"))
            || (self.is_word("true") && (sign(1, ";") || sign(1, "+")))
    }

    fn assignments(&mut self) -> Result<Vec<(Named, Expression)>> {
        let mut found = Vec::new();
        if self.eat_word("true") {
            return Ok(found);
        }
        loop {
            self.need("(")?;
            let name = self.name("a variable")?;
            self.need("'")?;
            self.need("=")?;
            found.push((name, self.expression()?));
            self.need(")")?;
            if !self.eat("&") {
                return Ok(found);
            }
        }
    }

    fn rewards(&mut self) -> Result<Rewards> {
        let name =
            if matches!(self.peek(), Kind::Text(_)) { self.text("a name")?.name } else { String::new() };
        let mut items = Vec::new();
        while !self.eat_word("endrewards") {
            if self.is("[") {
                return Err(self
                    .place()
                    .error("rewards of transitions are not supported, only those of states"));
            }
            let guard = self.expression()?;
            self.need(":")?;
            let value = self.expression()?;
            self.need(";")?;
            items.push((guard, value));
        }
        Ok(Rewards { name, items })
    }
}
