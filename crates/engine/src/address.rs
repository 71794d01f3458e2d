//! Which addresses are ours, and what they mean on a page.

use loadstone_workload::Place;

/// The path, with query and without fragment, of `address` as it stands on the page `page` of the host `here`,
/// when it is on one of `places`; which one. Written to `out`, which is empty if the address is elsewhere, is not
/// HTTP, or has characters that a request line may not have.
///
/// `page` is the path of the page, with query.
pub(crate) fn resolve(
    address: &[u8],
    page: &[u8],
    places: &[Place],
    here: usize,
    out: &mut Vec<u8>,
) -> usize {
    out.clear();
    let mut host = here;
    let address = address.split(|b| *b == b'#').next().unwrap_or_default();
    if let Some((scheme, rest)) = absolute(address, &places[here]) {
        let end = rest.iter().position(|b| matches!(b, b'/' | b'?')).unwrap_or(rest.len());
        if let Some(found) = place_of(scheme, &rest[..end], places, here) {
            host = found;
            if rest.get(end) != Some(&b'/') {
                out.push(b'/');
            }
            out.extend_from_slice(&rest[end..]);
        }
    } else if address.starts_with(b"/") {
        out.extend_from_slice(address);
    } else if !has_scheme(address) {
        let path_end = page.iter().position(|b| *b == b'?').unwrap_or(page.len());
        let directory = page[..path_end].iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        match address.first() {
            None => out.extend_from_slice(page),
            Some(b'?') => out.extend_from_slice(&page[..path_end]),
            Some(_) => out.extend_from_slice(&page[..directory]),
        }
        out.extend_from_slice(address);
    }
    if out.iter().any(|b| *b <= b' ' || *b == 127) {
        out.clear();
    } else {
        remove_dots(out);
    }
    host
}

/// Whether `address` on a page of the host `here` leads to none of `places`: also that of one of them by the other
/// scheme, which is another server.
pub(crate) fn is_elsewhere(address: &[u8], places: &[Place], here: usize) -> bool {
    let Some((scheme, rest)) = absolute(address, &places[here]) else { return false };
    let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    end > 0 && place_of(scheme, &rest[..end], places, here).is_none()
}

/// The scheme of an address that names a host, and what follows the slashes.
fn absolute<'a>(address: &'a [u8], here: &Place) -> Option<(&'static str, &'a [u8])> {
    let named = ["https", "http"].into_iter().find_map(|scheme| {
        let (head, rest) = address.split_at_checked(scheme.len())?;
        let rest = rest.strip_prefix(b":").filter(|_| head.eq_ignore_ascii_case(scheme.as_bytes()))?;
        Some((scheme, rest))
    });
    let (scheme, rest) = named.unwrap_or((here.scheme(), address));
    Some((scheme, rest.strip_prefix(b"//")?))
}

/// Which of `places` an authority is; that of the page comes first.
fn place_of(scheme: &str, authority: &[u8], places: &[Place], here: usize) -> Option<usize> {
    let is = |place: &Place| place.scheme() == scheme && is_at(authority, place);
    if is(&places[here]) { Some(here) } else { places.iter().position(is) }
}

/// Whether an authority is that of `place`. In redirects, some servers leave the usual port out and some do not.
fn is_at(authority: &[u8], place: &Place) -> bool {
    let usual: &[u8] = if place.tls.is_some() { b":443" } else { b":80" };
    let ours = place.authority.as_bytes();
    let bare = |whole: &'_ [u8]| whole.len() - if whole.ends_with(usual) { usual.len() } else { 0 };
    authority[..bare(authority)].eq_ignore_ascii_case(&ours[..bare(ours)])
}

/// `data:`, `mailto:`, `https:` and the like.
fn has_scheme(address: &[u8]) -> bool {
    let end = address.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')));
    end.is_some_and(|end| end > 0 && address[end] == b':')
}

/// Removes the segments `.` and `..` of the path (RFC 3986 §5.2.4).
fn remove_dots(path: &mut Vec<u8>) {
    let end = path.iter().position(|b| *b == b'?').unwrap_or(path.len());
    if memchr::memmem::find(&path[..end], b"/.").is_none() {
        return;
    }
    let query = path.split_off(end);
    let mut kept: Vec<u8> = Vec::with_capacity(end);
    let mut segments = path.split(|b| *b == b'/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            b"." | b".." => {
                if segment == b".." {
                    kept.truncate(kept.iter().rposition(|b| *b == b'/').unwrap_or(0));
                }
                if last {
                    kept.push(b'/');
                }
            }
            _ => {
                kept.push(b'/');
                kept.extend_from_slice(segment);
            }
        }
    }
    kept.extend_from_slice(&query);
    *path = kept;
}

#[cfg(test)]
mod tests {
    use loadstone_workload::Tls;
    use proptest::prelude::*;

    use super::*;

    fn site(url: &str) -> Place {
        let (scheme, authority) = url.split_once("://").unwrap();
        let tls = (scheme == "https").then_some(Tls {
            server_name: None,
            ca: None,
            certificate: None,
            key: None,
            insecure: false,
            resume: true,
        });
        Place {
            host: String::new(),
            port: 0,
            authority: authority.into(),
            base_path: String::new(),
            tls,
            socket: None,
        }
    }

    fn resolved(address: &str) -> String {
        let mut out = Vec::new();
        resolve(address.as_bytes(), b"/app/events/7?page=2", &[site("http://site:8080")], 0, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_usual_port_may_be_left_out() {
        let mut out = Vec::new();
        for (authority, address, path) in [
            ("http://site", "http://site:80/a", "/a"),
            ("http://site:80", "http://site/a", "/a"),
            ("http://site:8080", "http://site/a", ""),
            ("http://[::1]", "http://[::1]:80/a", "/a"),
            ("https://site", "https://site:443/a", "/a"),
            ("https://site:443", "HTTPS://site/a", "/a"),
            ("https://site", "//site/a", "/a"),
            ("https://site", "//site:80/a", ""),
            ("https://site", "http://site/a", ""),
        ] {
            resolve(address.as_bytes(), b"/", &[site(authority)], 0, &mut out);
            assert_eq!(out, path.as_bytes(), "{address} on {authority}");
        }
    }

    #[test]
    fn addresses_of_a_page() {
        for (address, path) in [
            ("/a.css?v=1#x", "/a.css?v=1"),
            ("b.js", "/app/events/b.js"),
            ("../b.js", "/app/b.js"),
            ("./", "/app/events/"),
            ("../../../../x", "/x"),
            ("?page=3", "/app/events/7?page=3"),
            ("", "/app/events/7?page=2"),
            ("http://site:8080/c", "/c"),
            ("HTTP://SITE:8080", "/"),
            ("http://site:8080?x", "/?x"),
            ("//site:8080/d", "/d"),
            ("/a/..b/.c", "/a/..b/.c"),
            ("http://site/c", ""),
            ("//cdn/d", ""),
            ("https://site:8080/c", ""),
            ("data:image/png;base64,AAAA", ""),
            ("/a b", ""),
            ("/a\r\nX: y", ""),
        ] {
            assert_eq!(resolved(address), path, "{address}");
        }
    }

    #[test]
    fn named_hosts_are_ours_too() {
        let places = [site("http://site:8080"), site("https://cdn"), site("http://site:8081")];
        for (address, here, host, path) in [
            ("https://cdn/a.js", 0, 1, "/a.js"),
            ("//cdn/a.js", 0, 0, ""),
            ("//CDN:443/a.js", 1, 1, "/a.js"),
            ("b.js", 1, 1, "/p/b.js"),
            ("/b.js", 2, 2, "/b.js"),
            ("http://site:8081?x", 1, 2, "/?x"),
            ("//site:8080/", 2, 0, "/"),
            ("http://site/", 0, 0, ""),
        ] {
            let mut out = Vec::new();
            let found = resolve(address.as_bytes(), b"/p/q", &places, here, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), path, "{address} on {here}");
            assert!(path.is_empty() || found == host, "{address} on {here}: {found}");
            assert_eq!(
                is_elsewhere(address.as_bytes(), &places, here),
                path.is_empty(),
                "{address} on {here}"
            );
        }
    }

    #[test]
    fn other_hosts() {
        for (address, elsewhere) in [
            ("http://localhost:8080/a.css", true),
            ("//cdn/d", true),
            ("HTTPS://cdn", true),
            ("https://site:8080/c", true),
            ("http://site:8080/c", false),
            ("/a b", false),
            ("http://site:8080/a b", false),
            ("data:image/png;base64,AAAA", false),
            ("///x", false),
            ("mailto:a@b", false),
        ] {
            assert_eq!(
                is_elsewhere(address.as_bytes(), &[site("http://site:8080")], 0),
                elsewhere,
                "{address}"
            );
        }
        let secure = |address: &str| is_elsewhere(address.as_bytes(), &[site("https://site:8080")], 0);
        assert!(secure("http://site:8080/c") && !secure("https://site:8080/c") && !secure("//site:8080/c"));
    }

    proptest! {
        #[test]
        fn what_is_resolved_can_stand_in_a_request_line(address in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut out = Vec::new();
            resolve(&address, b"/p/q", &[site("http://s")], 0, &mut out);
            prop_assert!(out.is_empty() || out[0] == b'/');
            prop_assert!(out.iter().all(|b| *b > b' '));
        }
    }
}
