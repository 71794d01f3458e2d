//! One request, compiled.

use std::sync::Arc;

use crate::call::CompiledCall;
use crate::compile::MAX_SECONDS;
use crate::condition::Conditions;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::expect::CompiledExpect;
use crate::extract::Extractor;
use crate::names::Names;
use crate::template::Template;
use crate::{Body, Part, Repeat, Socket, State, Step};

/// Methods that a step may have.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"];
/// Fields that the engine writes itself.
const OWN_FIELDS: [&str; 5] =
    ["connection", "content-length", "transfer-encoding", "content-type", "user-agent"];

/// A compiled [`Step`].
#[derive(Debug, Clone)]
pub struct CompiledStep {
    /// Method.
    pub method: &'static str,
    /// Path with query, without the site's base path.
    pub path: Template,
    /// Index of its host among the places of the program.
    pub host: usize,
    /// Extra header fields.
    pub headers: Vec<(Box<str>, Template)>,
    /// What is sent.
    pub body: CompiledBody,
    pub(crate) when: Conditions,
    /// How it is repeated.
    pub repeat: Option<Box<CompiledRepeat>>,
    /// Most microseconds of each of its requests; none: those of the load.
    pub timeout_us: Option<u64>,
    /// Probability that it is taken when its flags allow it.
    pub chance: f64,
    /// What the answer must be.
    pub expect: CompiledExpect,
    /// If it is refused: the first step that renews what it was refused for, and the one after the last.
    pub renewal: Option<(usize, usize)>,
    /// What is taken from the answer.
    pub extract: Vec<Extractor>,
    /// Flags set after success.
    pub set: u64,
    /// Flags unset after success.
    pub unset: u64,
    /// Follow redirects.
    pub redirects: bool,
    /// Fetch what the answer refers to.
    pub page: bool,
    /// Forget the session after success.
    pub forget: bool,
    /// Index among the named steps.
    pub count: Option<usize>,
    /// Whether the body must be looked at.
    pub reads_body: bool,
    /// What it does with the session's WebSocket.
    pub socket: Option<Socket>,
    /// The function that it calls.
    pub call: Option<Box<CompiledCall>>,
    /// A later step gives its answer to a function.
    pub keeps_answer: bool,
}

/// A compiled [`Repeat`].
#[derive(Debug, Clone)]
pub struct CompiledRepeat {
    times: (u32, u32),
    holds: Conditions,
    /// So many steps before it does a round begin.
    pub back: usize,
}

/// Most rounds of a loop.
const MOST_ROUNDS: u32 = 10_000;

impl CompiledRepeat {
    fn compile(repeat: &Repeat, names: &Names) -> Result<Self> {
        let Repeat { times: (least, most), holds, steps } = repeat;
        if !(1..=*most).contains(least) || *most > MOST_ROUNDS {
            return Err(Error::Range(format!(
                "from {least} to {most} are no rounds, which are 1 to {MOST_ROUNDS}"
            )));
        }
        Ok(Self {
            times: (*least, *most),
            holds: Conditions::compile(holds, names).map_err(|why| why.at("while: "))?,
            back: steps.saturating_sub(1) as usize,
        })
    }

    /// How many rounds there are at most.
    pub fn rounds(&self, state: &mut State) -> u32 {
        let (least, most) = self.times;
        if least == most { most } else { least + state.rng.below(u64::from(most - least) + 1) as u32 }
    }

    /// Whether another round may begin.
    pub fn goes_on(&self, state: &State) -> bool {
        self.holds.hold(state)
    }
}

/// A compiled [`Body`].
#[derive(Debug, Clone)]
pub enum CompiledBody {
    /// None.
    None,
    /// Names, already encoded, and values.
    Form(Vec<(Box<[u8]>, Template)>),
    /// multipart/form-data.
    Multipart(Vec<CompiledPart>),
    /// Any other.
    Raw {
        /// Content-Type.
        content_type: Box<str>,
        /// Content.
        text: Template,
    },
}

/// A compiled [`Part`].
#[derive(Debug, Clone)]
pub enum CompiledPart {
    /// A text field.
    Field {
        /// Its name.
        name: Box<str>,
        /// Its value.
        text: Template,
    },
    /// A file.
    File {
        /// Its name.
        name: Box<str>,
        /// File name.
        filename: Template,
        /// Content-Type.
        content_type: Box<str>,
        /// Content.
        content: Filler,
    },
}

/// The content of an uploaded file, shared by all users.
pub type Filler = Arc<[u8]>;

impl CompiledStep {
    pub(crate) fn compile(step: &Step, names: &Names, fillers: &mut Fillers) -> Result<Self> {
        let method = METHODS.iter().find(|m| **m == step.method);
        let method = method.ok_or_else(|| {
            Error::Name(format!("method: `{}` is none of {}", step.method, METHODS.join(", ")))
        })?;
        let path = Template::parse(&step.path, names, Encoding::Address).map_err(|why| why.at("path: "))?;
        if !path.leading_text().starts_with(b"/") || step.path.bytes().any(|b| b <= b' ' || b == 127) {
            return Err(Error::Text(format!(
                "path: `{}` must begin with `/` and hold no spaces or control characters",
                step.path
            )));
        }
        if !(0.0..=1.0).contains(&step.chance) {
            return Err(Error::Range(format!("chance: {} is no probability", step.chance)));
        }
        let when = Conditions::compile(&step.when, names).map_err(|why| why.at("when: "))?;
        let repeat = step.repeat.as_ref().map(|one| CompiledRepeat::compile(one, names).map(Box::new));
        let repeat = repeat.transpose().map_err(|why| why.at("repeat: "))?;
        let expect = CompiledExpect::compile(&step.expect, names)?;
        let extract = step
            .extract
            .iter()
            .map(|e| Extractor::compile(e, names).map_err(|why| why.at(format!("extract `{}`: ", e.name))))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            method,
            path,
            host: names.host(step.host.as_deref()).map_err(|why| why.at("host: "))?,
            headers: compile_headers(&step.headers, names)?,
            body: CompiledBody::compile(&step.body, names, fillers).map_err(|why| why.at("body: "))?,
            when,
            repeat,
            timeout_us: timeout_us(step.timeout_s)?,
            chance: step.chance,
            reads_body: expect.reads_body() || step.page || extract.iter().any(Extractor::reads_body),
            expect,
            renewal: step.renewal.map(|(first, count)| (first as usize, first as usize + count as usize)),
            extract,
            set: flag_bits(&step.set, names).map_err(|why| why.at("set: "))?,
            unset: flag_bits(&step.unset, names).map_err(|why| why.at("unset: "))?,
            redirects: step.redirects,
            page: step.page,
            socket: step.socket,
            call: match &step.call {
                Some(call) => Some(Box::new(CompiledCall::compile(call, names)?)),
                None => None,
            },
            keeps_answer: false,
            forget: step.forget,
            count: step.count.as_ref().and_then(|name| names.counters.iter().position(|known| known == name)),
        })
    }

    /// Whether every user sends the same bytes but for cookies.
    pub fn is_constant(&self) -> bool {
        self.path.constant().is_some()
            && self.headers.iter().all(|(_, value)| value.constant().is_some())
            && matches!(self.body, CompiledBody::None)
            && self.socket.is_none()
    }

    /// Whether a message is awaited after one was sent.
    pub fn awaits_message(&self) -> bool {
        self.reads_body || self.expect.measures()
    }
}

/// A time-out in microseconds.
pub(crate) fn timeout_us(timeout_s: Option<f64>) -> Result<Option<u64>> {
    match timeout_s {
        Some(seconds) if !(1e-3..=MAX_SECONDS).contains(&seconds) => {
            Err(Error::Range(format!("timeout_s: {seconds} s is out of range")))
        }
        seconds => Ok(seconds.map(|seconds| (seconds * 1e6) as u64)),
    }
}

fn flag_bits(flags: &[String], names: &Names) -> Result<u64> {
    flags.iter().try_fold(0, |bits, flag| Ok(bits | names.flag(flag)?))
}

fn compile_headers(headers: &[(String, String)], names: &Names) -> Result<Vec<(Box<str>, Template)>> {
    headers
        .iter()
        .map(|(name, value)| {
            let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
            if name.is_empty() || !name.bytes().all(token) {
                return Err(Error::Name(format!("headers: `{name}` is no name of a header field")));
            }
            if OWN_FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(Error::Name(format!("headers: the engine writes `{name}` itself")));
            }
            let value = Template::parse(&value.replace(['\r', '\n'], " "), names, Encoding::Header)
                .map_err(|why| why.at(format!("headers, `{name}`: ")))?;
            Ok((name.as_str().into(), value))
        })
        .collect()
}

impl CompiledBody {
    fn compile(body: &Body, names: &Names, fillers: &mut Fillers) -> Result<Self> {
        Ok(match body {
            Body::None => Self::None,
            Body::Form { fields } => Self::Form(
                fields
                    .iter()
                    .map(|(name, value)| {
                        let mut encoded = Vec::new();
                        Encoding::Form.text(name.as_bytes(), &mut encoded);
                        let value = Template::parse(value, names, Encoding::Form)
                            .map_err(|why| why.at(format!("field `{name}`: ")))?;
                        Ok((encoded.into(), value))
                    })
                    .collect::<Result<_>>()?,
            ),
            Body::Multipart { parts } => Self::Multipart(
                parts.iter().map(|p| compile_part(p, names, fillers)).collect::<Result<_, _>>()?,
            ),
            Body::Raw { content_type, text } => {
                if content_type.contains(['\r', '\n']) || content_type.is_empty() {
                    return Err(Error::Text(format!("`{content_type}` is no content type")));
                }
                let text = Template::parse(text, names, Encoding::Plain)?;
                Self::Raw { content_type: content_type.as_str().into(), text }
            }
        })
    }
}

fn compile_part(part: &Part, names: &Names, fillers: &mut Fillers) -> Result<CompiledPart> {
    let (Part::Field { name, text } | Part::File { name, filename: text, .. }) = part;
    let content_type =
        if let Part::File { content_type, .. } = part { content_type.as_str() } else { "text/plain" };
    if [name.as_str(), content_type].iter().any(|t| t.is_empty() || t.contains(['\r', '\n', '"'])) {
        return Err(Error::Text(format!(
            "part `{name}`: name and content type must not be empty nor hold quotes or line ends"
        )));
    }
    let template =
        Template::parse(text, names, Encoding::Plain).map_err(|why| why.at(format!("part `{name}`: ")))?;
    let name = name.as_str().into();
    Ok(match part {
        Part::Field { .. } => CompiledPart::Field { name, text: template },
        Part::File { bytes, .. } => CompiledPart::File {
            name,
            filename: template,
            content_type: content_type.into(),
            content: fillers.get(content_type, *bytes)?,
        },
    })
}

/// Largest file that is made; all of them stay in memory.
const MAX_FILE: u64 = 64 << 20;

/// Files already made: a plan that uploads one file in ten operations holds it once.
pub(crate) struct Fillers {
    seed: u64,
    made: Vec<(String, Filler)>,
}

impl Fillers {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, made: Vec::new() }
    }

    fn get(&mut self, content_type: &str, bytes: u64) -> Result<Filler> {
        if bytes > MAX_FILE {
            return Err(Error::Range(format!("a file of {bytes} bytes is larger than {MAX_FILE}")));
        }
        let length = bytes as usize;
        if let Some((_, found)) =
            self.made.iter().find(|(kind, file)| kind == content_type && file.len() == length)
        {
            return Ok(found.clone());
        }
        let mut content: Vec<u8> = signature(content_type).to_vec();
        let mut rng = loadstone_stats::Rng::stream(self.seed, bytes);
        while content.len() < length {
            content.extend_from_slice(&rng.next_u64().to_le_bytes());
        }
        content.truncate(length);
        let content: Filler = content.into();
        self.made.push((content_type.into(), content.clone()));
        Ok(content)
    }
}

/// First bytes by which servers tell a type.
fn signature(content_type: &str) -> &'static [u8] {
    match content_type {
        "image/jpeg" => b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00",
        "image/png" => b"\x89PNG\r\n\x1a\n",
        "image/gif" => b"GIF89a",
        "application/pdf" => b"%PDF-1.4\n",
        _ => b"",
    }
}
