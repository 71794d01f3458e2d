//! Plain sockets.

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use loadstone_container::Tls;

use crate::client::Stream;

impl Stream for TcpStream {
    fn finish(&mut self) {
        self.shutdown(Shutdown::Write).unwrap();
    }
}

pub fn speak(stream: TcpStream) -> Box<dyn Stream> {
    Box::new(stream)
}

pub fn certificate() -> Option<Arc<Tls>> {
    None
}
