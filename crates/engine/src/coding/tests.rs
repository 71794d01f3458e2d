use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

/// `hello\n` by the reference encoder of brotli, without compression and by an empty last block.
const BROTLI_HELLO: &[u8] = b"\x8b\x02\x80hello\n\x03";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bare(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

fn content(field: &str, body: &[u8]) -> Result<Vec<u8>, &'static str> {
    Content::default().of(field.as_bytes(), body).map(<[u8]>::to_vec)
}

#[test]
fn every_coding_that_is_asked_for_is_understood() {
    let text = b"Welcome to the shop. ".repeat(400);
    let skipped = [b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(&text)].concat();
    for (field, body) in [
        ("gzip", gzip(&text)),
        ("X-GZIP", gzip(&text)),
        ("gzip", [gzip(&text[..7]), gzip(&text[7..])].concat()),
        ("deflate", zlib(&text)),
        ("deflate", bare(&text)),
        ("zstd", zstd(&text)),
        ("zstd", [zstd(&text[..7]), zstd(&text[7..])].concat()),
        ("zstd", skipped),
        ("identity", text.clone()),
        ("", text.clone()),
        ("zstd, identity , GZIP", gzip(&zstd(&text))),
    ] {
        assert_eq!(content(field, &body).as_deref(), Ok(&text[..]), "{field}");
    }
    assert_eq!(content("br", BROTLI_HELLO).as_deref(), Ok(&b"hello\n"[..]));
    assert_eq!(content("gzip", b"").as_deref(), Ok(&b""[..]), "nothing is coded in nothing");
}

#[test]
fn what_is_not_whole_or_not_valid_is_told() {
    let text = b"Welcome to the shop. ".repeat(400);
    for (field, body, said) in [
        ("gzip", gzip(&text), "gzip"),
        ("deflate", zlib(&text), "deflate"),
        ("br", BROTLI_HELLO.to_vec(), "brotli"),
        ("zstd", zstd(&text), "zstd"),
    ] {
        let cut = content(field, &body[..body.len() / 2]).unwrap_err();
        assert!(cut.contains(&format!("not whole, valid {said}")), "{cut}");
        assert!(content(field, b"<html>").is_err_and(|why| why.contains(said)), "{field}");
    }
    assert!(content("compress", b"abc").unwrap_err().contains("other than gzip"));
    assert!(content("gzip,gzip,gzip,gzip", b"abc").unwrap_err().contains("more than three"));
}

#[test]
fn a_bomb_is_refused_at_its_bound() {
    // Of zeros, 64 MiB in 64 kB.
    let zeros = vec![0; MAX_CONTENT + 1];
    for (field, body) in [("gzip", gzip(&zeros)), ("deflate", bare(&zeros)), ("zstd", zstd(&zeros))] {
        let mut bounded = Content::default();
        assert_eq!(bounded.of(field.as_bytes(), &body), Err(TOO_LARGE), "{field}");
        assert!(bounded.decoded.capacity() <= 4 * MAX_CONTENT, "{field}: {}", bounded.decoded.capacity());
        bounded.of(b"gzip", &gzip(b"abc")).unwrap();
        assert!(bounded.decoded.capacity() <= KEPT_CAPACITY, "{field}");
    }
    assert_eq!(content("gzip", &gzip(&zeros[1..])).map(|body| body.len()), Ok(MAX_CONTENT));
    assert_eq!(content("gzip, gzip", &gzip(&gzip(&zeros))), Err(TOO_LARGE));
}

proptest! {
    #[test]
    fn any_bytes_are_survived(field in "(gzip|deflate|br|zstd|, ){0,4}", body in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = content(&field, &body);
    }
}
