//! The geocoder: where an address is. Olio's was a separate service with one answer for every address; here
//! it is a route of the site and a function, with the same answer.

use alloc::string::String;

use loadstone_web::html::{Html, html};
use loadstone_web::params::Params;

const LATITUDE: &str = "33.0000";
const LONGITUDE: &str = "-177.0000";

/// Latitude and longitude of every address, as decimals.
pub(crate) fn locate() -> (String, String) {
    (String::from(LATITUDE), String::from(LONGITUDE))
}

/// The answer of the service: the coordinates and the fields that were asked for.
pub(crate) fn answer(page: &mut Html, params: &Params<'_>) {
    html!(page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ResultSet>\n<Result precision=\"address\">\n");
    html!(page, "<Latitude>", LATITUDE, "</Latitude>\n<Longitude>", LONGITUDE, "</Longitude>\n");
    html!(page, "<Address>", params.get("street"), "</Address>\n<City>", params.get("city"), "</City>\n");
    html!(page, "<State>", params.get("state"), "</State>\n<Zip>", params.get("zip"), "</Zip>\n");
    html!(page, "</Result>\n</ResultSet>\n");
}
