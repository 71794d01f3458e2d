//! The decoder gives the same body, length and error however its input is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{ChunkError, ChunkedDecoder};

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<(Vec<u8>, usize, bool), ChunkError> {
    let (mut decoder, mut body, mut used) = (ChunkedDecoder::new(), Vec::new(), 0);
    for piece in pieces {
        used += decoder.decode(piece, |data| body.extend_from_slice(data))?;
    }
    Ok((body, used, decoder.is_done()))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&size, coded)) = bytes.split_first() else { return };
    let whole = decode(std::iter::once(coded));
    assert_eq!(whole, decode(coded.chunks(usize::from(size).max(1))));
    if let Ok((body, used, _)) = whole {
        assert!(body.len() <= used && used <= coded.len());
    }
});
