//! The map block: a plate of the world with a pin, drawn from the coordinates alone.

use loadstone_web::html::{Html, Markup, html};

use crate::model::Address;

/// Outlines of the continents on the 360 x 180 plate, coarse on purpose.
const LAND: [&str; 7] = [
    "M12 28 60 20 100 22 126 40 112 62 100 60 96 72 82 64 72 70 64 54 50 46 30 40Z",
    "M100 82 116 78 144 94 140 112 124 128 114 144 106 142 108 120 98 98Z",
    "M136 8 160 8 158 24 140 30 130 20Z",
    "M172 52 170 46 184 32 208 20 222 30 220 46 206 52 196 54 186 50 176 54Z",
    "M164 62 186 54 212 58 230 78 222 92 214 116 200 126 192 108 188 86 168 82Z",
    "M222 30 260 14 330 18 352 26 330 40 318 56 302 66 290 82 280 70 258 84 246 66 226 60 220 46Z",
    "M294 112 316 102 332 112 330 128 316 130 296 124Z",
];

/// The map with the address below it.
pub(crate) fn block(page: &mut Html, address: &Address) {
    let (x, y) = (plate(&address.longitude, 180, false), plate(&address.latitude, 90, true));
    html!(page, "<section class=\"panel\">\n<h2>Where</h2>\n");
    html!(
        page,
        "<svg class=\"map\" viewBox=\"0 4 360 146\" role=\"img\" aria-label=\"Map: latitude ",
        address.latitude
    );
    html!(page, ", longitude ", address.longitude, "\">\n");
    for outline in LAND {
        html!(page, "<path class=\"land\" d=\"", Markup(outline), "\"/>\n");
    }
    html!(page, "<path class=\"grid\" d=\"M0 90H360M180 0V180M90 0V180M270 0V180M0 45H360M0 135H360\"/>\n");
    html!(page, "<circle class=\"pin\" cx=\"", x, "\" cy=\"", y, "\" r=\"5\"/>\n</svg>\n");
    html!(
        page,
        "<p class=\"quiet\">Latitude ",
        address.latitude,
        ", longitude ",
        address.longitude,
        "</p>\n</section>\n"
    );
}

/// Whole degrees of a stored decimal, moved to 0..=2*half on the plate.
fn plate(decimal: &str, half: i64, flip: bool) -> i64 {
    let negative = decimal.starts_with('-');
    let digits = decimal.trim_start_matches('-').split('.').next().unwrap_or("");
    let degrees: i64 = digits.parse().unwrap_or(0);
    let signed = if negative != flip { -degrees } else { degrees };
    (half + signed).clamp(0, 2 * half)
}

#[cfg(test)]
mod tests {
    use super::plate;

    #[test]
    fn degrees_fall_on_the_plate() {
        assert_eq!((plate("0.5", 180, false), plate("-179.999999", 180, false)), (180, 1));
        assert_eq!((plate("66.560556", 90, true), plate("-33.0000000000", 90, true)), (24, 123));
        assert_eq!((plate("", 90, true), plate("junk", 90, true), plate("9999", 90, false)), (90, 90, 180));
    }
}
