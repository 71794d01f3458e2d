use proptest::prelude::*;

use super::*;

fn origin(authority: &str) -> Origin {
    Origin::new(authority, false)
}

fn learn(cookies: &mut Cookies, authority: &str, path: &str, lines: &str) {
    let write = |out: &mut Vec<u8>| out.extend_from_slice(path.as_bytes());
    cookies.learn(&Headers::new(lines.as_bytes()), &origin(authority), &mut Vec::new(), write);
}

fn sent(cookies: &Cookies, origin: &Origin, path: &str) -> String {
    let mut out = Vec::new();
    cookies.write(origin, path.as_bytes(), &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn cookies_are_kept_replaced_and_deleted() {
    let mut cookies = Cookies::default();
    let mut after = |lines: &str| {
        learn(&mut cookies, "shop:81", "/", lines);
        sent(&cookies, &origin("shop"), "/a")
    };
    assert_eq!(after("Set-Cookie: a=1; Path=/\r\nSet-Cookie: bb=2\r\nSet-Cookie: c=3\r\n"), "a=1; bb=2; c=3");
    assert_eq!(after("set-cookie: bb=9\r\n"), "a=1; bb=9; c=3", "it keeps its place");
    assert_eq!(after("Set-Cookie: b=0; Max-Age=0\r\n"), "a=1; bb=9; c=3");
    assert_eq!(after("Set-Cookie: a=; Max-Age=0\r\n"), "bb=9; c=3");
    assert_eq!(after("Set-Cookie: bb=; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n"), "c=3");
    assert_eq!(after("Set-Cookie: c=x; Max-Age=-1\r\n"), "");
    assert_eq!(after("Set-Cookie: d=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT\r\n"), "d=1");
}

#[test]
fn a_path_tells_where_they_go() {
    let mut cookies = Cookies::default();
    let lines = "Set-Cookie: r=1; Path=/\r\nSet-Cookie: s=2; Path=/app\r\nSet-Cookie: own=3\r\n";
    learn(&mut cookies, "shop", "/app/admin/in?next=/x/y", lines);
    let to = |path: &str| sent(&cookies, &origin("shop"), path);
    assert_eq!(to("/app/admin/users"), "own=3; s=2; r=1", "the longest path first");
    assert_eq!(to("/app/admin?x"), "own=3; s=2; r=1");
    assert_eq!(to("/app"), "s=2; r=1");
    assert_eq!(to("/app/adminis"), "s=2; r=1");
    assert_eq!(to("/apple"), "r=1");
    // The same name on another path is another cookie.
    learn(&mut cookies, "shop", "/", "Set-Cookie: s=; Path=/; Max-Age=0\r\nSet-Cookie: s=7; Path=/\r\n");
    assert_eq!(sent(&cookies, &origin("shop"), "/app/"), "s=2; r=1; s=7");
}

#[test]
fn a_domain_tells_to_which_hosts() {
    let mut cookies = Cookies::default();
    let lines = "Set-Cookie: own=1\r\nSet-Cookie: all=2; Domain=.Shop.example\r\nSet-Cookie: top=3; Domain=example\r\n\
                 Set-Cookie: foreign=4; Domain=bank.example\r\nSet-Cookie: below=5; Domain=a.www.shop.example\r\n";
    learn(&mut cookies, "www.shop.example:8443", "/", lines);
    let to = |host: &str| sent(&cookies, &origin(host), "/");
    assert_eq!(to("www.shop.example"), "own=1; all=2");
    assert_eq!(to("WWW.shop.example:9"), "own=1; all=2", "ports and case do not tell hosts apart");
    assert_eq!(to("api.shop.example"), "all=2");
    assert_eq!(to("shop.example"), "all=2");
    assert_eq!(to("workshop.example"), "");
    assert_eq!(to("bank.example"), "");
}

#[test]
fn one_is_taken_by_its_name_and_host() {
    let mut cookies = Cookies::default();
    let lines = "Set-Cookie: csrf=wide; Domain=shop.example\r\nSet-Cookie: csrf=own; Path=/cart\r\n\
                 Set-Cookie: old=1; Max-Age=0\r\nSet-Cookie: safe=1; Secure\r\n";
    learn(&mut cookies, "www.shop.example", "/", lines);
    let of = |host: &str, name: &str| {
        cookies.get(name, &origin(host)).map(|value| String::from_utf8(value.to_vec()).unwrap())
    };
    assert_eq!(of("www.shop.example", "csrf").as_deref(), Some("own"), "the longest path first");
    assert_eq!(of("api.shop.example", "csrf").as_deref(), Some("wide"));
    assert_eq!(of("bank.example", "csrf"), None);
    assert_eq!(of("www.shop.example", "old"), None);
    assert_eq!(of("www.shop.example", "safe"), None, "not by plain HTTP");
}

#[test]
fn an_address_has_no_hosts_below() {
    let mut cookies = Cookies::default();
    learn(
        &mut cookies,
        "127.0.0.1:80",
        "/",
        "Set-Cookie: a=1; Domain=0.0.1\r\nSet-Cookie: b=2; Domain=127.0.0.1\r\n",
    );
    assert_eq!(sent(&cookies, &origin("127.0.0.1:81"), "/"), "b=2");
    learn(&mut cookies, "[::1]:80", "/", "Set-Cookie: c=3\r\n");
    assert_eq!(sent(&cookies, &origin("[::1]"), "/"), "c=3");
}

#[test]
fn secure_ones_go_by_https_or_stay_on_the_machine() {
    let mut cookies = Cookies::default();
    learn(&mut cookies, "shop", "/", "Set-Cookie: a=1; Secure\r\n");
    assert_eq!(sent(&cookies, &origin("shop"), "/"), "");
    assert_eq!(sent(&cookies, &Origin::new("shop", true), "/"), "a=1");
    for host in ["localhost:8080", "127.0.0.9", "[::1]:80"] {
        learn(&mut cookies, host, "/", "Set-Cookie: a=2; Secure\r\n");
        assert_eq!(sent(&cookies, &origin(host), "/"), "a=2", "{host}");
    }
}

#[test]
fn a_session_keeps_no_more_than_fits() {
    let mut cookies = Cookies::default();
    for number in 0..MOST + 3 {
        learn(&mut cookies, "shop", "/", &format!("Set-Cookie: c{number}=1\r\n"));
    }
    let all = sent(&cookies, &origin("shop"), "/");
    assert!(all.starts_with("c3=1; ") && all.split("; ").count() == MOST, "the oldest are gone: {all}");
    learn(&mut cookies, "shop", "/", &format!("Set-Cookie: long={}\r\n", "x".repeat(LONGEST)));
    assert!(!sent(&cookies, &origin("shop"), "/").contains("long"));
    for number in 0..MOST {
        learn(&mut cookies, "shop", "/", &format!("Set-Cookie: c{number}={}\r\n", "x".repeat(4_000)));
    }
    assert!(cookies.text.len() <= ROOM && cookies.kept.len() == 8);
}

proptest! {
    #[test]
    fn whatever_a_server_sets_the_jar_is_in_order(
        lines in proptest::collection::vec("(a|b)=[a-z;= ]{0,9}; ?(Path=/[ab/]{0,4}|Domain=[a.]{0,5}|Max-Age=(0|9))?", 0..40),
        path in "/[ab/]{0,6}",
    ) {
        let mut cookies = Cookies::default();
        for line in &lines {
            learn(&mut cookies, "a.a.a", &path, &format!("Set-Cookie: {line}\r\n"));
        }
        let mut spans: Vec<_> = cookies.kept.iter().map(|one| (one.from as usize, one.length())).collect();
        spans.sort_unstable();
        let mut end = 0;
        for (from, length) in spans {
            prop_assert_eq!(from, end, "texts lie beside each other");
            end += length;
        }
        prop_assert_eq!(end, cookies.text.len());
        prop_assert!(cookies.kept.is_sorted_by_key(|one| (std::cmp::Reverse(one.path), one.born)));
    }
}
