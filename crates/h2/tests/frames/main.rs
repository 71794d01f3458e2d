//! A server, frame by frame: good ones and hostile ones.

mod answers;
mod hostile;
mod server;
