//! Bytes on their way out.

use std::io;
use std::mem::MaybeUninit;

use loadstone_http::{Body, FilePart, Unsent};
use rustix::fs::fstat;
use rustix::io::pread;

use crate::socket::Socket;

/// A body up to this size is copied behind its head: one buffer is cheaper to send than two.
pub(crate) const JOINED_BODY: usize = 4096;
/// Most bytes of a file sent in a row: a client that takes a large one as fast as it comes must not hold up
/// the others.
const FILE_TURN: usize = 1 << 20;
/// Bytes of a file read at a time.
const PIECE: usize = 64 * 1024;
/// The same where they are encrypted: a TLS record. What the socket does not take of a piece is read again.
const ENCRYPTED_PIECE: usize = 16 * 1024;

/// Sends what the socket takes. Returns how many bytes are out now, and whether the socket may take more at
/// once: when it is neither, it would block.
///
/// # Errors
/// The connection is broken, or a file has become shorter than the announced length.
pub(crate) fn send_response(socket: &mut Socket, unsent: &Unsent<'_>) -> io::Result<(usize, bool)> {
    let &Unsent { head, body, sent } = unsent;
    match body {
        Body::File(part) => send_file(socket, head, part, sent),
        _ => Ok((socket.send_parts(head, body.as_slice(), sent)?, false)),
    }
}

/// The same of a body that is part of a file. What is sent was read before, and the file was still long
/// enough after: the system's `sendfile` lends its pages to the socket instead, and when the file is cut
/// short, zeros go out in the place of what it had.
fn send_file(
    socket: &mut Socket,
    head: &[u8],
    part: &FilePart,
    mut sent: usize,
) -> io::Result<(usize, bool)> {
    let mut room = [const { MaybeUninit::<u8>::uninit() }; PIECE];
    let most = if matches!(socket, Socket::Plain(_)) { PIECE } else { ENCRYPTED_PIECE };
    let total = head.len() + part.bytes;
    let turn = total.min(sent + FILE_TURN);
    while sent < turn {
        let at = sent.saturating_sub(head.len());
        let wanted = most.min(part.bytes - at);
        let (piece, _) = pread(&*part.file, &mut room[..wanted], part.start + at as u64)?;
        let end = part.start + (at + piece.len()) as u64;
        if piece.is_empty() || (fstat(&*part.file)?.st_size as u64) < end {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "a file became shorter while it was sent",
            ));
        }
        let rest = head.get(sent..).unwrap_or_default();
        let taken = socket.send_parts(rest, piece, 0)?;
        sent += taken;
        if taken < rest.len() + piece.len() {
            return Ok((sent, false));
        }
    }
    if sent == total {
        // The last bytes may be encrypted already and wait for room, with no further piece that would push
        // them out.
        socket.send_parts(&[], &[], 0)?;
    }
    Ok((sent, sent < total))
}
