//! What a request asks for.

/// A file of the set, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `/`: the numbers of the set.
    Home,
    /// `/d/17`: the page of popularity rank 17.
    Document(u32),
    /// `/o/17`: object 17.
    Object(u32),
}

impl Route {
    /// The route of a path. One file has one path: no leading zeros, no signs, no escapes.
    pub fn parse(path: &str) -> Option<Self> {
        if path == "/" {
            return Some(Self::Home);
        }
        let (kind, number) = path.strip_prefix('/')?.split_once('/')?;
        if number.starts_with('0') || !number.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number = number.parse().ok()?;
        match kind {
            "d" => Some(Self::Document(number)),
            "o" => Some(Self::Object(number)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;

    fn path(route: Route) -> String {
        match route {
            Route::Home => "/".into(),
            Route::Document(rank) => format!("/d/{rank}"),
            Route::Object(number) => format!("/o/{number}"),
        }
    }

    proptest! {
        #[test]
        fn a_route_has_one_path(text in "(/|/[do]/?)?[0-9/+%d-]{0,12}|\\PC{0,20}") {
            if let Some(route) = Route::parse(&text) {
                prop_assert_eq!(path(route), text);
            }
        }

        #[test]
        fn every_file_has_a_path(number in 1u32.., document: bool) {
            let route = if document { Route::Document(number) } else { Route::Object(number) };
            prop_assert_eq!(Route::parse(&path(route)), Some(route));
        }
    }

    #[test]
    fn what_is_no_file_has_none() {
        for path in
            ["", "/d", "/d/", "/d/0", "/d/01", "/d/+1", "/d/1/", "/d/4294967296", "/x/1", "d/1", "//1"]
        {
            assert_eq!(Route::parse(path), None, "{path}");
        }
    }
}
