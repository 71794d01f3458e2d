//! TLS by rustls's client.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, OnceLock};

use loadstone_container::Tls;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::authority::ours;
use crate::client::Stream;

impl Stream for StreamOwned<ClientConnection, TcpStream> {
    fn finish(&mut self) {
        self.conn.send_close_notify();
        while self.conn.wants_write() {
            self.conn.write_tls(&mut self.sock).unwrap();
        }
        self.sock.shutdown(Shutdown::Write).unwrap();
    }
}

pub fn speak(stream: TcpStream) -> Box<dyn Stream> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| Arc::new(ours().trusting())).clone();
    let session = ClientConnection::new(config, "test".try_into().unwrap()).unwrap();
    Box::new(StreamOwned::new(session, stream))
}

pub fn certificate() -> Option<Arc<Tls>> {
    Some(Arc::new(Tls::load(&ours().certificate, &ours().key).unwrap()))
}
