//! What went wrong in TLS, in words.

use rustls::{AlertDescription, CertificateError, Error, InvalidMessage};

/// A sentence's end on what is wrong.
pub fn told(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(why) => certificate(why),
        Error::AlertReceived(alert) => format!("the server ended TLS with the alert {}", spelled(*alert)),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => "the server's answer is not TLS".into(),
        Error::PeerIncompatible(why) => {
            format!("no TLS version or cipher in common with the server: {why:?}")
        }
        Error::DecryptError => "the server sent a record that cannot be decrypted".into(),
        other => other.to_string(),
    }
}

fn certificate(why: &CertificateError) -> String {
    match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired".into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet".into()
        }
        CertificateError::UnknownIssuer => {
            "the server's certificate is of an issuer that is not trusted, or self-signed".into()
        }
        CertificateError::NotValidForName => "the server's certificate is for another host name".into(),
        CertificateError::NotValidForNameContext { expected, presented } => format!(
            "the server's certificate is not for {}, but for {}",
            expected.to_str(),
            if presented.is_empty() { "no name at all".into() } else { bare(presented).join(", ") }
        ),
        CertificateError::Revoked => "the server's certificate is revoked".into(),
        CertificateError::BadEncoding => "the certificate is malformed".into(),
        other => {
            let said = format!("{other:?}");
            if said.contains("CaUsedAsEndEntity") {
                return "the server shows the certificate of an authority as its own".into();
            }
            format!("the server's certificate is not valid: {other}")
        }
    }
}

/// `DnsName("shop.example")` as `shop.example`.
fn bare(names: &[String]) -> Vec<&str> {
    let inside = |name: &'_ str| name.find('(').map_or(0, |at| at + 1);
    names.iter().map(|name| name[inside(name)..].trim_end_matches(')').trim_matches('"')).collect()
}

/// `HandshakeFailure` as `handshake failure`.
fn spelled(alert: AlertDescription) -> String {
    let mut out = String::new();
    let mut before = true;
    for letter in format!("{alert:?}").chars() {
        let capital = letter.is_ascii_uppercase();
        if capital && !before {
            out.push(' ');
        }
        before = capital;
        out.push(letter.to_ascii_lowercase());
    }
    format!("`{out}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_those_of_the_code() {
        assert_eq!(bare(&["DnsName(\"a.b\")".into(), "IpAddress(::1)".into()]), ["a.b", "::1"]);
        assert_eq!(spelled(AlertDescription::HandshakeFailure), "`handshake failure`");
        assert_eq!(spelled(AlertDescription::UnknownCA), "`unknown ca`");
    }
}
