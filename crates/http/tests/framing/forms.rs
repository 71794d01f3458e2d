//! Where a message ends, form by form: what the grammars of RFC 9110 and RFC 9112 allow is served, every
//! other spelling is refused and ends the connection, because the next server might read it otherwise.
//!
//! A family is a request with a gap and the forms that may and may not stand in it; six more places get every
//! ASCII character. Each server judges them by what it does.

/// Calls `judge` with each form: its family, what stands in the gap, the request, and the status of its
/// refusal; without one it is served, and the connection stays.
pub fn each_form(mut judge: impl FnMut(&str, &str, &str, Option<u16>)) {
    for family in FAMILIES {
        let mut fill = |form: &str, refusal| {
            judge(
                family.name,
                form,
                &family.request.replace("{chunked}", CHUNKED).replace("{}", form),
                refusal,
            );
        };
        family.right.iter().for_each(|form| fill(form, None));
        for (status, forms) in family.wrong {
            forms.iter().for_each(|form| fill(form, Some(*status)));
        }
    }
    for (place, request, may_stand) in CHARACTERS {
        for c in (0..128_u8).map(char::from).filter(|c| !"\r\n".contains(*c)) {
            let mut byte = [0];
            let gap = &*c.encode_utf8(&mut byte);
            let refusal = if may_stand(c) { None } else { Some(400) };
            judge(place, gap, &request.replace("{chunked}", CHUNKED).replace("{}", gap), refusal);
        }
    }
}

struct Family {
    name: &'static str,
    /// `{}` is the gap.
    request: &'static str,
    right: &'static [&'static str],
    wrong: &'static [(u16, &'static [&'static str])],
}

/// Stands for `{chunked}`.
const CHUNKED: &str = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    Family {
        name: "Host",
        request: "GET /hello HTTP/1.1\r\nHost:{}\r\n\r\n",
        right: &[
            "", " a", "a", "\ta\t", " a.b", " A.B", " a:", " a:80", " a:65535", " 127.0.0.1",
            " 127.0.0.1:8080", " a_b", " a-b", " a~b", " a%20b", " %41", " [::1]", " [::1]:80", " [::]",
            " [1:2:3:4:5:6:7:8]", " [1::8]:1", " [::ffff:1.2.3.4]", " [v1.x:y]", " xn--a",
        ],
        wrong: &[(
            400,
            &[
                " localhost:http", " a:-1", " :-1", " a:80:80", " :80:80", " [::1", " [::1]x", " [::zz]",
                " a%zz", " a%2", " a%", " ::1", " []", " [", " ]", " [::1]:x", " [::1]]", " a[::1]",
                " [1:2:3]", " [1::2::3]", " [12345::]", " [::1.2.3]", " [::1.2.3.256]", " [1.2.3.4]",
                " [v1.]", " [fe80::1%25eth0]", " a b", " a/b", " u@a", " u:p@a", " a,b c", " \"a\"", " a?b",
                " a#b", " a\\b", " a:8 0", " a:+80", " a:0x50", " http://a", " a\r\nHost: a", " a\r\nHost:",
                " \u{e9}", " a\u{7f}",
            ],
        )],
    },
    Family {
        name: "request line",
        request: "{}\r\nHost: a\r\n\r\n",
        right: &[
            "GET /hello HTTP/1.1", "\r\nGET /hello HTTP/1.1", "\r\n\r\nGET /hello HTTP/1.1",
            "GET http://b:80/hello HTTP/1.1", "GET http://[::1]/hello HTTP/1.1", "GET /hello? HTTP/1.1",
            "GET /hello?a%zz HTTP/1.1",
        ],
        wrong: &[
            (
                400,
                &[
                    "GET", "GET ", "GET /", "GET / ", "GET /hello HTTP", "GET /hello HTTP/",
                    "GET /hello HTTP/1", "GET /hello HTTP/1.", "GET /hello HTTP/.1", "GET /hello HTTP/1.1.1",
                    "GET /hello HTTP/1,1", "GET /hello HTTP/11", "GET /hello HTTP/+1.1",
                    "GET /hello HTTP /1.1", "GET /hello HTPT/1.1", "GET /hello HTTPS/1.1",
                    "GET /hello Http/1.1", "GET /hello HTTP/1.1 ", "GET /hello HTTP/1.1\t",
                    "GET /hello HTTP/1.1 x", "GET  /hello HTTP/1.1", "GET /hello  HTTP/1.1",
                    "GET\t/hello HTTP/1.1", "GET /hello\tHTTP/1.1", "GET\x0b/hello HTTP/1.1",
                    "GET\u{a0}/hello HTTP/1.1", " GET /hello HTTP/1.1", "\tGET /hello HTTP/1.1",
                    "\nGET /hello HTTP/1.1", "\rGET /hello HTTP/1.1", "\0GET /hello HTTP/1.1",
                    "G@T /hello HTTP/1.1", "GET: /hello HTTP/1.1", "\"GET\" /hello HTTP/1.1",
                    "GET hello HTTP/1.1", "GET a:80 HTTP/1.1", "GET ?a HTTP/1.1", "GET \\hello HTTP/1.1",
                    "GET * HTTP/1.1", "GET /a b HTTP/1.1", "GET /a#b HTTP/1.1", "GET /a\x7f HTTP/1.1",
                    "GET /a\x01 HTTP/1.1", "GET http:/hello HTTP/1.1", "GET http:// HTTP/1.1",
                    "GET http://:80/hello HTTP/1.1", "GET http://a:x/hello HTTP/1.1",
                    "GET http://[::1/hello HTTP/1.1", "GET http://a%zz/hello HTTP/1.1",
                    "GET //a@b:c://hello HTTP/1.1 HTTP/1.1", "GET file:///hello HTTP/1.1",
                    "GET ://a/hello HTTP/1.1",
                ],
            ),
            (
                501,
                &[
                    "get /hello HTTP/1.1", "GETT /hello HTTP/1.1", "GE /hello HTTP/1.1",
                    "M-SEARCH /hello HTTP/1.1",
                ],
            ),
            (
                505,
                &[
                    "GET /hello HTTP/0.9", "GET /hello HTTP/1.2", "GET /hello HTTP/2.0",
                    "GET /hello HTTP/9.9",
                ],
            ),
        ],
    },
    Family {
        name: "Content-Length",
        request: "POST /echo HTTP/1.1\r\nHost: a\r\n{}\r\n\r\nabc",
        right: &[
            "Content-Length: 3", "content-length:3", "CONTENT-LENGTH:\t3 ", "Content-Length: 003",
            "Content-Length: 00000000000000000000003",
        ],
        wrong: &[
            (
                400,
                &[
                    "Content-Length:", "Content-Length: x", "Content-Length: +3", "Content-Length: -3",
                    "Content-Length: 3.0", "Content-Length: 0x3", "Content-Length: 3e0",
                    "Content-Length: 3 3", "Content-Length: 3,", "Content-Length: ,3", "Content-Length: 3,3",
                    "Content-Length: 3, 4", "Content-Length: 3;", "Content-Length: \"3\"",
                    "Content-Length: '3'", "Content-Length: 3_0", "Content-Length: 3\0",
                    "Content-Length: \u{663}", "Content-Length: 18446744073709551616",
                    "Content-Length: 36893488147419103235", "Content-Length : 3", "Content-Length\t: 3",
                    " Content-Length: 3", "Content-Length: 3\r\nContent-Length: 3", "Content-Length:\r\n 3",
                    "Content-Length: 3\r\nContent-Length: 0", "Content-Length: 0\r\ncontent-length: 3",
                    "Content-Length: 3\nX: y", "Content-Length: 3\rX: y", "Content\0-Length: 3",
                ],
            ),
            (413, &["Content-Length: 18446744073709551615", "Content-Length: 8388609"]),
        ],
    },
    Family {
        name: "Transfer-Encoding",
        request: "POST /echo HTTP/1.1\r\nHost: a\r\n{}\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        right: &[
            "Transfer-Encoding: chunked", "transfer-encoding:CHUNKED", "Transfer-Encoding:\t chunked \t",
        ],
        wrong: &[
            (
                400,
                &[
                    "Transfer-Encoding:", "Transfer-Encoding: ,", "Transfer-Encoding: chunked,",
                    "Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked, chunked",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: x", "Transfer-Encoding : chunked",
                    "Transfer-Encoding\t: chunked", " Transfer-Encoding: chunked",
                    "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: \x0bchunked",
                    "Transfer-Encoding: chunked\0", "Transfer-Encoding: chunked\nX: y",
                    "Transfer-Encoding: chunked\rX: y", "X: y\rTransfer-Encoding: chunked",
                    "Transfer-Encoding: chunked\r\nContent-Length: 3",
                    "Content-Length: 13\r\nTransfer-Encoding: chunked",
                    "Content-Length: x\r\nTransfer-Encoding: chunked",
                    "Content-Length:\r\nTransfer-Encoding: chunked",
                    "Transfer-Encoding: chunked\r\nContent-Length: 0",
                ],
            ),
            (
                501,
                &[
                    "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked",
                    "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: identity",
                    "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked",
                    "Transfer-Encoding: chunkedx", "Transfer-Encoding: chun ked",
                    "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1",
                    "Transfer-Encoding: chunked;", "Transfer-Encoding: chunked chunked",
                    "Transfer-Encoding: \u{e7}hunked",
                ],
            ),
        ],
    },
    Family {
        name: "chunk size",
        request: "{chunked}{}\r\nabcdefgh\r\n0\r\n\r\n",
        right: &["8", "08", "0000000000008", "8 ;a", "8\t ;\ta"],
        wrong: &[
            (
                400,
                &[
                    "", " 8", "\t8", "8 ", "8\t", "8  ", "8 8", "-8", "+8", "0x8", "8h", "8x", "x", "8.",
                    "8,", "\"8\"", "8_", "\u{668}", "8\0", "8\n", "8\r", "\r8", "\n8", "10000000000000008",
                    "ffffffffffffffff8", "7", "9",
                ],
            ),
            (413, &["800001", "ffffffff", "ffffffffffffff00"]),
        ],
    },
    Family {
        name: "chunk extension",
        request: "{chunked}8{}\r\nabcdefgh\r\n0\r\n\r\n",
        right: &[
            ";a", ";a;b", ";a=b", ";a=b;c=d", ";a=\"b\"", ";a=\"\"", ";a=\"b c\"", ";a=\"\\\"\"",
            ";a=\"\\\\\"", ";a=\"b;c=d\"", "; a", " ;a", ";a =b", ";a= b", ";a = b ; c", ";a\t=\t\"b\" ;c",
            ";!#$%&'*+-.^_`|~09=x", ";a=\"\u{e9}\"",
        ],
        wrong: &[(
            400,
            &[
                ";", "; ", ";;", ";;a", ";a;", ";=x", ";a=", ";a= ", ";a==b", ";a=b=c", ";a=;b", ";[", ";a[",
                ";a=[", ";a=b,c", ";a b", ";a=b c", ";a ", ";a=b ", ";a=\"b\" ", ";a=\"b", ";a=\"b\\\"",
                ";a=b\"", ";a=\"b\"c", ";a=\"b\"\"c\"", ";\"a\"", ";a=\0", ";a=\"\0\"", ";a=\"\x01\"",
                ";a=\"\\\x01\"", ";a=\"\x7f\"", ";\u{e9}", ";a=\u{e9}", ";a\n", ";a=\"\n\"", ";a\r",
                ";a=\"\r\"", ",a", "=a",
            ],
        )],
    },
    Family {
        name: "end of a chunk",
        request: "{chunked}3\r\nabc{}0\r\n\r\n",
        right: &["\r\n", "\r\n1\r\nd\r\n", "\r\n0"],
        wrong: &[(
            400,
            &[
                "", "\n", "\r", "\n\n", "\r\r\n", " \r\n", "d\r\n", "\r\n\r\n", "\0\r\n", "\r\n ",
                "\r\n1\r\n",
            ],
        )],
    },
    Family {
        name: "trailers",
        request: "{chunked}3\r\nabc\r\n0\r\n{}\r\n",
        right: &[
            "", "A: b\r\n", "A:b\r\n", "A:\r\n", "A: \r\n", "A:\tb \r\n", "A: b\r\nC: d\r\n", "A: b: c\r\n",
            "A: \u{e9}\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n",
        ],
        wrong: &[(
            400,
            &[
                "A\r\n", "A b\r\n", "GET / HTTP/1.1\r\n", "GET /query?x HTTP/1.1\r\nHost: a\r\n",
                "A : b\r\n", "A\t: b\r\n", " A: b\r\n", "\tA: b\r\n", "A: b\r\n c\r\n", "A: b\r\n\tc\r\n",
                ": b\r\n", "\"A\": b\r\n", "A(b): c\r\n", "\u{e9}: b\r\n", "A\0: b\r\n", "A: \0\r\n",
                "A: \x01\r\n", "A: \x7f\r\n", "A: b\n", "A: b\rc\r\n", "A: b\r\r\n", "\n", "\r", "A\n",
                "A\r\r\n",
            ],
        )],
    },
    Family {
        name: "line ends and field lines",
        request: "GET /hello HTTP/1.1\r\nHost: a{}\r\n\r\n",
        right: &[
            "", "\r\nA: b", "\r\nA:b", "\r\nA:", "\r\nA: \t b", "\r\nA: b: c", "\r\nA: \"",
            "\r\nA: b\r\nA: b",
        ],
        wrong: &[(
            400,
            &[
                "\nA: b", "\rA: b", "\n\rA: b", "\r\r\nA: b", "\r\nA: b\n", "\r\nA: b\r",
                "\r\nA: b\nContent-Length: 9", "\r\nA", "\r\nA b", "\r\n: b", "\r\n:", "\r\nA : b",
                "\r\n A: b", "\r\n\tA: b", "\r\nA: b\r\n c", "\r\nA: b\r\n\tc", "\r\nA\r\n : b",
                "\r\nA\u{e9}: b", "\r\n\u{feff}A: b", "\n\n",
            ],
        )],
    },
];

/// A place, a request with a gap there, and which characters may stand in it.
type Place = (&'static str, &'static str, fn(char) -> bool);

/// CR and LF are in the families.
const CHARACTERS: &[Place] = &[
    ("name of a field", "GET /hello HTTP/1.1\r\nHost: a\r\nA{}C: d\r\n\r\n", |c| is_token(c) || c == ':'),
    ("value of a field", "GET /hello HTTP/1.1\r\nHost: a\r\nA: b{}c\r\n\r\n", is_text),
    ("Host", "GET /hello HTTP/1.1\r\nHost: a{}b\r\n\r\n", |c| {
        c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(c)
    }),
    ("name of a chunk extension", "{chunked}1;a{}c\r\nx\r\n0\r\n\r\n", |c| is_token(c) || ";=".contains(c)),
    ("name of a trailer", "{chunked}0\r\nA{}C: d\r\n\r\n", |c| is_token(c) || c == ':'),
    ("value of a trailer", "{chunked}0\r\nA: b{}c\r\n\r\n", is_text),
];

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

fn is_text(c: char) -> bool {
    c == '\t' || (' '..='~').contains(&c)
}
