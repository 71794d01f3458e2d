//! A model as it was written.

use super::lexer::Place;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it is.
    pub node: Node,
    /// Where it begins, or where its operator is.
    pub place: Place,
}

/// Kinds of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A number or truth value.
    Literal(Value),
    /// A constant, variable or formula.
    Name(String),
    /// A label in quotes.
    Label(String),
    /// `-a` or `!a`.
    Unary(&'static str, Box<Expression>),
    /// `a sign b`.
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// `test ? yes : no`.
    Choice(Box<[Expression; 3]>),
    /// `function(a, b)`.
    Call(String, Vec<Expression>),
}

/// A value of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A truth value.
    Bool(bool),
}

/// Types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Whole numbers.
    Int,
    /// Real numbers.
    Real,
    /// Truth values.
    Bool,
}

impl Type {
    /// As the language writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Real => "double",
            Self::Bool => "bool",
        }
    }
}

impl Value {
    /// Its type.
    pub fn kind(self) -> Type {
        match self {
            Self::Int(_) => Type::Int,
            Self::Real(_) => Type::Real,
            Self::Bool(_) => Type::Bool,
        }
    }

    /// A number as a real; truth values as 0 and 1.
    pub fn real(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Real(value) => value,
            Self::Bool(value) => f64::from(u8::from(value)),
        }
    }
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where.
    pub place: Place,
}

/// `const type name = value;`
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: Named,
    /// Its type.
    pub kind: Type,
    /// Its value; given from outside when absent.
    pub value: Option<Expression>,
}

/// `formula name = value;` or `label "name" = value;`
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Named,
    /// What it stands for.
    pub value: Expression,
}

/// `name : [low..high] init start;` or `name : bool init start;`
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Named,
    /// Bounds of a whole number; none for a truth value.
    pub range: Option<(Expression, Expression)>,
    /// The start, the least value when absent.
    pub start: Option<Expression>,
}

/// `[action] guard -> alternatives;`
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Where it begins.
    pub place: Place,
    /// The action it synchronises on.
    pub action: Option<String>,
    /// When it is enabled.
    pub guard: Expression,
    /// What may happen then.
    pub alternatives: Vec<Alternative>,
}

/// A rate, 1 when absent, and assignments.
pub type Alternative = (Option<Expression>, Vec<(Named, Expression)>);

/// `module name … endmodule`
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Its name.
    pub name: Named,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Its commands.
    pub commands: Vec<Command>,
    /// New names for old ones, when it is another module renamed.
    pub renaming: Vec<(String, String)>,
}

impl Module {
    /// Variables and alternatives of commands: what a copy of it takes.
    pub fn size(&self) -> usize {
        self.variables.len() + self.commands.iter().map(|each| 1 + each.alternatives.len()).sum::<usize>()
    }
}

/// `rewards "name" guard : value; … endrewards`
#[derive(Debug, Clone, PartialEq)]
pub struct Rewards {
    /// Its name; `""` when it has none.
    pub name: String,
    /// Guard and value, added up.
    pub items: Vec<(Expression, Expression)>,
}

/// A whole model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    /// Constants.
    pub constants: Vec<Constant>,
    /// Formulas.
    pub formulas: Vec<Definition>,
    /// Labels.
    pub labels: Vec<Definition>,
    /// Variables of no module.
    pub globals: Vec<Variable>,
    /// Modules.
    pub modules: Vec<Module>,
    /// Reward structures.
    pub rewards: Vec<Rewards>,
}
