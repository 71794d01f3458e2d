//! The file set: sizes, what refers to what, and how popular it is.

use alloc::vec::Vec;

use loadstone_stats::Rng;

use crate::content::{PAGE_BYTES, REFERENCE_BYTES};
use crate::matching::{by_requested_size, shuffle};
use crate::profile::Profile;

/// Fewest files of a set.
pub const FEWEST: u32 = 10;
/// Most files of a set.
pub const MOST: u32 = 1_000_000;

/// A file set. Equal arguments give equal sets on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSet {
    /// Pages, the most popular first.
    documents: Vec<Document>,
    /// Sizes of what pages refer to, bytes.
    objects: Vec<u32>,
    /// Numbers of objects, page after page.
    references: Vec<u32>,
}

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Document {
    size: u32,
    /// Where its references end; they begin where those of the page before end.
    references_end: u32,
}

impl FileSet {
    /// Makes `files` files, a number from [`FEWEST`] to [`MOST`].
    ///
    /// # Errors
    /// A sentence when the number is another.
    pub fn generate(profile: &Profile, files: u32, seed: u64) -> Result<Self, alloc::string::String> {
        if !(FEWEST..=MOST).contains(&files) {
            return Err(alloc::format!("{files} files are not from {FEWEST} to {MOST}"));
        }
        let stream = |number| Rng::stream(seed, number);
        let mut rng = stream(0);
        let sizes: Vec<u32> = (0..files).map(|_| profile.sizes.sample(&mut rng)).collect();
        let share = |share: f64| libm::floor(share * f64::from(files)) as usize;
        let (bases, singles) = (share(profile.base_share), share(profile.single_share));
        let embedded = files as usize - bases - singles;
        let mut counts = reference_counts(profile, bases, embedded, &mut stream(1));
        let (with_references, mut others) = split(&sizes, &mut counts, &mut stream(2));
        let objects = others.split_off(singles);
        let mut ordered: Vec<u32> =
            others.iter().chain(with_references.iter().map(|(file, _)| file)).copied().collect();
        match profile.requested {
            Some(law) => ordered = by_requested_size(&ordered, &sizes, law, &mut stream(3)),
            None => shuffle(&mut ordered, &mut stream(3)),
        }
        let mut count_of = alloc::vec![0; files as usize];
        with_references.iter().for_each(|(file, count)| count_of[*file as usize] = *count);
        let mut set = Self {
            documents: Vec::with_capacity(ordered.len()),
            objects: objects.iter().map(|file| sizes[*file as usize]).collect(),
            references: Vec::new(),
        };
        let mut rng = stream(4);
        for file in ordered {
            set.push_references(count_of[file as usize], &mut rng);
            let references_end = set.references.len() as u32;
            set.documents.push(Document { size: sizes[file as usize], references_end });
        }
        Ok(set)
    }

    /// How many pages there are: their ranks are 1 to this.
    pub fn documents(&self) -> u32 {
        self.documents.len() as u32
    }

    /// How many objects pages refer to: their numbers are 1 to this.
    pub fn objects(&self) -> u32 {
        self.objects.len() as u32
    }

    /// Bytes of the page of popularity rank `rank`, and the numbers of the objects that it refers to.
    pub fn document(&self, rank: u32) -> Option<(u32, &[u32])> {
        let index = (rank as usize).checked_sub(1)?;
        let document = self.documents.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.documents[before].references_end);
        Some((document.size, &self.references[start as usize..document.references_end as usize]))
    }

    /// Bytes of object `number`.
    pub fn object(&self, number: u32) -> Option<u32> {
        self.objects.get((number as usize).checked_sub(1)?).copied()
    }

    /// Adds `count` different objects, any of them.
    fn push_references(&mut self, count: u32, rng: &mut Rng) {
        let start = self.references.len();
        while self.references.len() < start + count as usize {
            let object = rng.below(u64::from(self.objects())) as u32 + 1;
            if !self.references[start..].contains(&object) {
                self.references.push(object);
            }
        }
    }
}

/// How many references each page that has any has; no more than there are objects.
fn reference_counts(profile: &Profile, bases: usize, objects: usize, rng: &mut Rng) -> Vec<u32> {
    (0..bases).map(|_| (profile.references.sample(rng) as u32).min(objects as u32)).collect()
}

/// The pages with references, each with how many, and the other files in any order.
///
/// A page must hold its references. Those with most choose first, each any file that is large enough: but for
/// that, sizes and references are independent. What finds no file that is large enough gives up references.
fn split(sizes: &[u32], counts: &mut [u32], rng: &mut Rng) -> (Vec<(u32, u32)>, Vec<u32>) {
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let mut smaller: Vec<u32> = (0..sizes.len() as u32).collect();
    smaller.sort_unstable_by_key(|file| (sizes[*file as usize], *file));
    let mut enough: Vec<u32> = Vec::new();
    let mut chosen = Vec::with_capacity(counts.len());
    for count in counts.iter() {
        while let Some(file) = smaller.pop_if(|file| sizes[*file as usize] >= page_bytes(*count)) {
            enough.push(file);
        }
        if enough.is_empty() {
            enough.extend(smaller.pop());
        }
        let file = enough.swap_remove(rng.below(enough.len() as u64) as usize);
        let room = sizes[file as usize].saturating_sub(PAGE_BYTES) / REFERENCE_BYTES;
        chosen.push((file, (*count).min(room)));
    }
    enough.extend(smaller);
    shuffle(&mut enough, rng);
    (chosen, enough)
}

/// Bytes that a page with so many references has at least.
fn page_bytes(references: u32) -> u32 {
    PAGE_BYTES + REFERENCE_BYTES * references
}
