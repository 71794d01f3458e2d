//! What a page refers to, and what its style sheets do: which of it the browser fetches.

use loadstone_workload::{
    OwnStyle, ReferenceKind, StyleReference, Viewport, declaration_references, markup_decode, own_styles,
    references, style_decode, style_references,
};

use crate::address::{is_elsewhere, resolve};
use crate::browser::address_hash;
use crate::driver::Driver;
use crate::examples::Of;
use crate::record::{MOST_REFERENCE_BYTES, MOST_REFERENCES};
use crate::recorder::Counter;
use crate::user::{Journey, User};

/// Most bytes of an address that are shown as an example.
const LONGEST_EXAMPLE: usize = 200;

/// How many style sheets may lead from a page to one. Sites have two or three; a server could make up one after the
/// other for ever.
const DEEPEST: u8 = 10;

impl Driver<'_> {
    /// Lists what the browser fetches for a page, in the order of the page, what its own styles refer to last. What
    /// is beyond the limits is counted only.
    pub(crate) fn plan_references(&mut self, user: &mut User, body: &[u8], journey: &mut Journey) {
        let [mut page, path] = std::mem::take(&mut self.paths);
        page.clear();
        self.page_path(user, journey, &mut page);
        self.paths = [page, path];
        journey.references.clear();
        self.page_addresses.clear();
        let browser = &self.program.scenario_of(&user.state).browser;
        let window = Viewport { width: browser.width, density: browser.density };
        let mut found = references(body, window);
        for reference in found.by_ref().take(MOST_REFERENCES) {
            self.scratch.clear();
            markup_decode(reference.address, &mut self.scratch);
            let sheet = (browser.styles && reference.kind == ReferenceKind::StyleSheet).then_some(1);
            if !self.plan_reference(user, journey, sheet) {
                break;
            }
        }
        user.counts.add(Counter::ReferencesLeftOut, found.count() as u64);
        if browser.styles {
            self.plan_own_styles(user, body, journey);
        }
    }

    /// Lists what the styles of the page itself refer to.
    fn plan_own_styles(&mut self, user: &mut User, body: &[u8], journey: &mut Journey) {
        let mut declarations = std::mem::take(&mut self.declarations);
        for style in own_styles(body) {
            // No sheets lead to these.
            let listed = match style {
                OwnStyle::Sheet(text) => self.plan_styles(user, journey, style_references(text), 0),
                OwnStyle::Attribute(text) => {
                    declarations.clear();
                    markup_decode(text, &mut declarations);
                    self.plan_styles(user, journey, declaration_references(&declarations), 0)
                }
            };
            debug_assert!(listed.is_ok(), "they are not too deep");
        }
        self.declarations = declarations;
    }

    /// Lists what the style sheet that is spoken of refers to, after what is listed already.
    ///
    /// # Errors
    /// A sentence's end, when sheets lead to sheets for too long.
    pub(crate) fn plan_style(
        &mut self,
        user: &mut User,
        sheet: &[u8],
        journey: &mut Journey,
    ) -> Result<(), String> {
        let [mut page, path] = std::mem::take(&mut self.paths);
        page.clear();
        let mut depth = 0;
        if let Some((reference, own)) = journey.references.current() {
            depth = reference.sheet.unwrap_or(0);
            page.extend_from_slice(if journey.location.is_empty() { own } else { &journey.location });
        }
        self.paths = [page, path];
        self.page_addresses.clear();
        self.page_addresses.extend(journey.references.known());
        self.plan_styles(user, journey, style_references(sheet), depth)
    }

    /// Lists what a style refers to that stands on the page or sheet whose path is in `paths`. `depth`: as many sheets
    /// lead to it.
    ///
    /// # Errors
    /// As above.
    fn plan_styles<'s>(
        &mut self,
        user: &mut User,
        journey: &mut Journey,
        mut found: impl Iterator<Item = StyleReference<'s>>,
        depth: u8,
    ) -> Result<(), String> {
        let room = MOST_REFERENCES.saturating_sub(journey.references.looked_at);
        for reference in found.by_ref().take(room) {
            if reference.is_sheet && depth >= DEEPEST {
                return Err(format!("style sheets import one another more than {DEEPEST} deep"));
            }
            self.scratch.clear();
            style_decode(reference.address, &mut self.scratch);
            if !self.plan_reference(user, journey, reference.is_sheet.then_some(depth + 1)) {
                break;
            }
        }
        user.counts.add(Counter::ReferencesLeftOut, found.count() as u64);
        Ok(())
    }

    /// Lists the reference in `scratch`, as it stands on the page or sheet whose path is in `paths`; false when there
    /// is no room for more.
    fn plan_reference(&mut self, user: &mut User, journey: &mut Journey, sheet: Option<u8>) -> bool {
        let [page, mut path] = std::mem::take(&mut self.paths);
        let host = resolve(&self.scratch, &page, &self.program.places, user.host, &mut path);
        let files = &mut journey.references;
        files.looked_at += 1;
        files.bytes += path.len();
        let room = files.bytes <= MOST_REFERENCE_BYTES;
        if !room {
            user.counts.add(Counter::ReferencesLeftOut, 1);
        } else if path.is_empty() {
            self.elsewhere(user, journey);
        } else {
            let address = address_hash(host, &path);
            if self.page_addresses.insert(address) {
                journey.references.know(address);
                let below = self.requests.below_base(host, &path);
                let browser = &self.program.scenario_of(&user.state).browser;
                let cached = browser.cached.iter().any(|prefix| {
                    below.starts_with(prefix.as_bytes()) || path.starts_with(prefix.as_bytes())
                });
                user.counts.add(Counter::ImageRefs, u64::from(!cached));
                if self.fetches(user, address, cached) {
                    journey.references.push(&path, host, address, cached, sheet);
                }
            }
        }
        self.paths = [page, path];
        room
    }

    /// Counts the reference in `scratch`, which is not to our site, if a browser would ask another host for it.
    fn elsewhere(&mut self, user: &mut User, journey: &mut Journey) {
        let address = &self.scratch;
        let elsewhere = is_elsewhere(address, &self.program.places, user.host);
        let hash = address_hash(0, address);
        if !elsewhere || !self.page_addresses.insert(hash) {
            return;
        }
        journey.references.know(hash);
        user.counts.add(Counter::ReferencesOtherHost, 1);
        let operation = &self.program.operations[user.operation];
        let said = || String::from_utf8_lossy(&address[..address.len().min(LONGEST_EXAMPLE)]).into_owned();
        self.shared.examples.note(user.operation, &operation.name, Of::OtherHost, self.now, said);
    }

    /// Whether the browser asks for what a page refers to.
    fn fetches(&self, user: &User, address: u64, cached: bool) -> bool {
        let browser = &user.browser;
        if !cached || !browser.warm {
            return !browser.has_seen(address);
        }
        let can_ask = || self.validators.get(address).is_some_and(|validator| validator.can_ask());
        let revalidate = self.program.scenario_of(&user.state).browser.revalidate;
        revalidate && (can_ask() || !browser.has_seen(address))
    }
}
