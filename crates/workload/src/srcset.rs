//! Which of the images that `srcset` offers a browser fetches (HTML, "images": `srcset`, `sizes`, `<picture>`).

/// The window of the emulated browser.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: f64,
    /// Device pixels for each of them.
    pub density: f64,
}

/// CSS pixels of an `em`, unless a user changes the size of the text.
const EM: f64 = 16.0;

/// The address that a browser chooses from a `srcset`: the one with the least density that is not less than its own,
/// else the one with the greatest. None if nothing is offered that it understands.
pub(crate) fn choose<'a>(srcset: &'a [u8], sizes: Option<&[u8]>, viewport: Viewport) -> Option<&'a [u8]> {
    let width = sizes.map_or(viewport.width, |sizes| source_size(sizes, viewport));
    let mut best: Option<(f64, &[u8])> = None;
    for (address, descriptor) in candidates(srcset) {
        let Some(density) = density(descriptor, width) else { continue };
        let better = best.is_none_or(|(so_far, _)| {
            if so_far < viewport.density {
                density > so_far
            } else {
                (viewport.density..so_far).contains(&density)
            }
        });
        if better {
            best = Some((density, address));
        }
    }
    best.map(|(_, address)| address)
}

/// Addresses with their descriptors.
fn candidates(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let start = rest.iter().position(|b| !b.is_ascii_whitespace() && *b != b',')?;
        rest = &rest[start..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (address, after) = rest.split_at(end);
        if address.ends_with(b",") {
            rest = after;
            let bare = address.len() - address.iter().rev().take_while(|b| **b == b',').count();
            return Some((&address[..bare], &b""[..]));
        }
        let end = memchr::memchr(b',', after).unwrap_or(after.len());
        rest = &after[end..];
        Some((address, after[..end].trim_ascii()))
    })
}

/// `2x`, or `640w` of an image that is shown `width` wide.
fn density(descriptor: &[u8], width: f64) -> Option<f64> {
    let Some((unit, number)) = descriptor.split_last() else { return Some(1.0) };
    let number = number_of(number)?;
    match unit {
        b'x' => Some(number),
        b'w' if number > 0.0 => Some(number / width.max(1.0)),
        _ => None,
    }
}

fn number_of(text: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// How wide an image is shown, by the first of the `sizes` whose condition holds; as wide as the window if none does,
/// or if that is not understood.
fn source_size(sizes: &[u8], viewport: Viewport) -> f64 {
    for size in sizes.split(|b| *b == b',').map(<[u8]>::trim_ascii) {
        let (condition, length) =
            match size.iter().rposition(|b| *b == b')').filter(|_| size.starts_with(b"(")) {
                Some(end) => (&size[..=end], size[end + 1..].trim_ascii()),
                None => (&b""[..], size),
            };
        if holds(condition, viewport) {
            return length_of(length, viewport).unwrap_or(viewport.width);
        }
    }
    viewport.width
}

/// Whether a media condition holds: widths and resolutions joined by `and`, and the media `all` and `screen`. What is
/// not understood does not.
pub(crate) fn holds(media: &[u8], viewport: Viewport) -> bool {
    let text = String::from_utf8_lossy(media).to_ascii_lowercase();
    let any = |query: &str| query.split(" and ").all(|part| part_holds(part.trim(), viewport));
    text.trim().is_empty() || text.split(',').any(any)
}

fn part_holds(part: &str, viewport: Viewport) -> bool {
    if matches!(part, "all" | "screen" | "only screen") {
        return true;
    }
    let inside = part.strip_prefix('(').and_then(|part| part.strip_suffix(')'));
    let Some((name, value)) = inside.and_then(|inside| inside.split_once(':')) else { return false };
    let value = value.trim();
    let width = || length_of(value.as_bytes(), viewport);
    let resolution = || {
        value
            .strip_suffix("dppx")
            .or(value.strip_suffix('x'))
            .or(Some(value))
            .and_then(|n| number_of(n.as_bytes()))
    };
    match name.trim() {
        "min-width" => width().is_some_and(|least| viewport.width >= least),
        "max-width" => width().is_some_and(|most| viewport.width <= most),
        "min-resolution" | "-webkit-min-device-pixel-ratio" => {
            resolution().is_some_and(|least| viewport.density >= least)
        }
        _ => false,
    }
}

/// A length in CSS pixels.
fn length_of(length: &[u8], viewport: Viewport) -> Option<f64> {
    let units: [(&[u8], f64); 5] =
        [(b"px", 1.0), (b"vw", viewport.width / 100.0), (b"rem", EM), (b"em", EM), (b"", 1.0)];
    let lower = length.to_ascii_lowercase();
    let (number, of) =
        units.iter().find_map(|(unit, of)| lower.strip_suffix(*unit).map(|number| (number, of)))?;
    number_of(number).map(|number| number * of)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DESKTOP: Viewport = Viewport { width: 1280.0, density: 1.0 };
    const PHONE: Viewport = Viewport { width: 390.0, density: 3.0 };

    fn chosen(srcset: &str, sizes: Option<&str>, viewport: Viewport) -> String {
        let found = choose(srcset.as_bytes(), sizes.map(str::as_bytes), viewport);
        String::from_utf8(found.unwrap_or_default().to_vec()).unwrap()
    }

    #[test]
    fn densities() {
        for (srcset, desktop, phone) in [
            ("a.png, b.png 2x, c.png 3x", "a.png", "c.png"),
            ("c.png 4x,b.png 2x", "b.png", "c.png"),
            ("a.png 0.5x", "a.png", "a.png"),
            ("a,b.png 1x, d.png 2x", "a,b.png", "d.png"),
            ("a.png,", "a.png", "a.png"),
            ("a.png 1x 2h, b.png 1.5x", "b.png", "b.png"),
            (" , ", "", ""),
        ] {
            assert_eq!(chosen(srcset, None, DESKTOP), desktop, "{srcset}");
            assert_eq!(chosen(srcset, None, PHONE), phone, "{srcset}");
        }
    }

    #[test]
    fn widths() {
        let srcset = "s.png 320w, m.png 640w, l.png 1280w, x.png 2560w";
        for (sizes, desktop, phone) in [
            (None, "l.png", "l.png"),
            (Some("50vw"), "m.png", "m.png"),
            (Some("(max-width: 600px) 100vw, 300px"), "s.png", "l.png"),
            (Some("(min-width: 40em) 30rem, 200px"), "m.png", "m.png"),
            (Some("(min-width: 2000px) 10px, (orientation: portrait) 10px, 25vw"), "s.png", "s.png"),
            (Some("calc(100vw - 10px)"), "l.png", "l.png"),
            (Some("3000px"), "x.png", "x.png"),
        ] {
            assert_eq!(chosen(srcset, sizes, DESKTOP), desktop, "{sizes:?}");
            assert_eq!(chosen(srcset, sizes, PHONE), phone, "{sizes:?}");
        }
    }

    #[test]
    fn media() {
        for (media, desktop) in [
            ("", true),
            ("screen", true),
            ("print", false),
            ("(min-width: 1280px)", true),
            ("only screen and (max-width: 1000px)", false),
            ("print, (min-width: 80em)", true),
            ("(min-resolution: 2dppx)", false),
            ("(prefers-color-scheme: dark)", false),
        ] {
            assert_eq!(holds(media.as_bytes(), DESKTOP), desktop, "{media}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_offered_is_read(srcset in "[a-z0-9., xw()-]{0,60}", sizes in "[a-z0-9., :vwpxem()-]{0,60}") {
            choose(srcset.as_bytes(), Some(sizes.as_bytes()), DESKTOP);
            holds(sizes.as_bytes(), PHONE);
        }
    }
}
