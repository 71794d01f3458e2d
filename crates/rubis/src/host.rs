//! What the application needs from its surroundings.

/// The surroundings of the application, shared by all workers.
pub trait Host: Send + Sync {
    /// Wall-clock time in seconds since 1970. Auctions run by the time that has passed since the data set was
    /// first opened.
    fn now_s(&self) -> u64;

    /// Fills `bytes` with unpredictable bytes, fit for session ids and salts.
    fn entropy(&self, bytes: &mut [u8]);

    /// Tells the operator about what is the site's own fault, in a sentence. A process says it on standard
    /// error.
    fn report(&self, sentence: &str) {
        #[cfg(feature = "std")]
        std::eprintln!("rubis: {sentence}");
        #[cfg(not(feature = "std"))]
        let _ = sentence;
    }
}

#[cfg(feature = "std")]
impl Host for loadstone_web::system::System {
    fn now_s(&self) -> u64 {
        self.now_s()
    }

    fn entropy(&self, bytes: &mut [u8]) {
        self.entropy(bytes);
    }
}
