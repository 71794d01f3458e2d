//! Request methods and protocol versions.

/// A request method. Methods that no application of ours serves are answered with 501 by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Read.
    Get,
    /// Read the header fields only.
    Head,
    /// Act on the enclosed content.
    Post,
    /// Replace.
    Put,
    /// Remove.
    Delete,
    /// Change in part.
    Patch,
    /// Ask what is possible.
    Options,
}

impl Method {
    /// The method of this name; names are case-sensitive (RFC 9110 §9.1).
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "DELETE" => Self::Delete,
            "PATCH" => Self::Patch,
            "OPTIONS" => Self::Options,
            _ => return None,
        })
    }

    /// The name as sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Patch => "PATCH",
            Self::Options => "OPTIONS",
        }
    }
}

/// The protocol version of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// HTTP/1.0: connections close unless both sides ask to keep them.
    Http10,
    /// HTTP/1.1: connections persist unless one side asks to close.
    Http11,
}
