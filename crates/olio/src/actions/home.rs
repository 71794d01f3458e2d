//! The home page, events of a tag, the calendar, the feed, and the geocoder.

use alloc::format;
use alloc::string::String;

use loadstone_http::Response;
use loadstone_web::dates::Day;
use loadstone_web::html::Html;

use crate::cache::{self, FEED_TTL_S, HOME_TTL_S, TOKEN_HOLE};
use crate::data::{lists, tags};
use crate::failure::Failure;
use crate::geocoder;
use crate::page::calendar::{self, Month};
use crate::page::home::{self as pages, Filter};
use crate::page::{event_list, rss};
use crate::reply::{self, Page};
use crate::site::Site;
use crate::visit::Visit;

/// Tags in the cloud.
const CLOUD: i64 = 50;
/// Events in the feed.
const FEED: i64 = 15;
/// Most characters of a zip code, as in an address.
const ZIP_CHARS: usize = 12;

/// The home page.
pub(super) fn home(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let day = Day::parse(visit.params.get("day"));
    home_of(site, visit, day, day.map(Month::of), response)
}

/// Another month of the calendar; for a browser without scripts the home page with that month.
pub(super) fn calendar(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let number = |name: &str| i32::try_from(visit.params.whole(name)?).ok();
    let asked = number("year").zip(number("month"));
    let month = asked.and_then(|(year, month)| Month::new(year, month.unsigned_abs()));
    let month = month.unwrap_or_else(|| Month::of(site.today));
    if visit.wants_fragment {
        reply::fragment(response, |html| calendar::section(html, month, site.today));
        return Ok(());
    }
    home_of(site, visit, None, Some(month), response)
}

fn home_of(
    site: &Site,
    visit: &Visit<'_>,
    day: Option<Day>,
    month: Option<Month>,
    response: &mut Response,
) -> Result<(), Failure> {
    let iso = day.map_or_else(String::new, Day::iso);
    let zip = visit.params.get("zip");
    let filter = Filter {
        page: visit.params.page(),
        by_created: visit.params.get("order") == "created",
        zip: if zip.chars().count() > ZIP_CHARS { "" } else { zip },
        day: &iso,
    };
    let key = home_key(&filter);
    let what = Page { month, ..Page::new("Events", "home", &key) };
    let days = day.map_or((site.today, Day::LAST), |day| (day, day));
    // Kept pages show the month of their day and no message, to nobody in particular.
    let plain_month = month == day.map(Month::of);
    let anyone = visit.viewer.is_none() && visit.notice.is_none() && plain_month;
    if !(anyone && site.cache().keeps_pages()) {
        return reply::page(site, visit, response, &what, |html| {
            home_content(site, visit, html, &filter, days, &key)
        });
    }
    let page_key = format!("page:{}:{key}", site.today.0);
    let kept = match site.cache().page(&page_key) {
        Some(kept) => kept,
        None => {
            let mut html = Html::default();
            let content = |html: &mut Html| home_content(site, visit, html, &filter, days, &key);
            reply::write_page(site, visit, &mut html, &what, TOKEN_HOLE, content)?;
            site.cache().put_page(&page_key, html.as_bytes(), HOME_TTL_S);
            html.into_bytes().into()
        }
    };
    let mut out = core::mem::take(response.buffer());
    cache::fill_holes(&kept, &visit.token, &mut out);
    response.html(out);
    reply::page_fields(site, visit, response);
    Ok(())
}

fn home_key(filter: &Filter<'_>) -> String {
    let order = if filter.by_created { "created" } else { "date" };
    format!("home:page={};order={order};zip={};day={}", filter.page, filter.zip, filter.day)
}

fn home_content(
    site: &Site,
    visit: &Visit<'_>,
    html: &mut Html,
    filter: &Filter<'_>,
    days: (Day, Day),
    key: &str,
) -> Result<(), Failure> {
    pages::filter(html, filter);
    let cache = site.cache();
    let key = format!("{}:{key}", site.today.0);
    let load = || lists::home(&site.db, days, filter.by_created, filter.zip, filter.page);
    let events = cache.rows(&key, load)?;
    let class = cache::viewer_class(visit.viewer_id(), events.items.iter().map(|event| event.creator_id));
    cache.fragment(&format!("{key}:{class}"), html, |html| {
        pages::list(html, filter, &events, visit.viewer_id());
        Ok(())
    })?;
    cache.fragment("cloud", html, |html| {
        event_list::cloud(html, &cache.rows("cloud", || tags::cloud(&site.db, CLOUD))?);
        Ok(())
    })?;
    Ok(())
}

/// After events or tags have changed: the first home pages and the cloud are looked up anew.
pub(super) fn forget_lists(site: &Site) {
    let cache = site.cache();
    cache.drop_key("cloud");
    for by_created in [false, true] {
        let key = home_key(&Filter { page: 1, by_created, ..Filter::default() });
        let key = format!("{}:{key}", site.today.0);
        cache.drop_key(&key);
        cache.drop_key(&format!("{key}:other"));
        cache.drop_page(&format!("page:{key}"));
    }
}

/// Events with a tag.
pub(super) fn tagged(
    site: &Site,
    visit: &Visit<'_>,
    path: &str,
    response: &mut Response,
) -> Result<(), Failure> {
    let (tag, page) = (visit.params.get("tag"), visit.params.page());
    // No tag is longer than 30 characters; what is longer has no events and need not be asked for.
    let asked = if tag.chars().count() > 30 { "" } else { tag };
    let key = format!("tag:{asked};page={page}");
    let what = Page::new("Tagged events", "tag", &key);
    reply::page(site, visit, response, &what, |html| {
        pages::tag_heading(html, asked);
        let cache = site.cache();
        let events = cache.rows(&key, || lists::tagged(&site.db, asked, page))?;
        let class = cache::viewer_class(visit.viewer_id(), events.items.iter().map(|event| event.creator_id));
        cache.fragment(&format!("{path}:{key}:{class}"), html, |html| {
            pages::tagged(html, path, asked, &events, visit.viewer_id());
            Ok(())
        })?;
        Ok(())
    })
}

/// The newest events as RSS, whose links are whole addresses.
pub(super) fn feed(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let origin = site.options.origin.of(visit.request);
    let (cache, key) = (site.cache(), format!("page:rss:{origin}"));
    let feed = match cache.page(&key) {
        Some(kept) => kept,
        None => {
            let mut html = Html::default();
            rss::feed(&mut html, &origin, &cache.rows("rss", || lists::newest(&site.db, FEED))?);
            if cache.keeps_pages() {
                cache.put_page(&key, html.as_bytes(), FEED_TTL_S);
            }
            html.into_bytes().into()
        }
    };
    response.content("application/rss+xml; charset=utf-8", feed);
    // What a sender called the site is for nobody else, should something on the way keep it under another
    // name.
    let shared = site.options.origin.is_known() || !site.options.rules.are_public();
    response.header("Cache-Control", if shared { "public, max-age=30" } else { "private, max-age=30" });
    loadstone_web::files::safe_fields(response);
    Ok(())
}

/// The geocoder's answer.
pub(super) fn geocode(visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let mut html = Html::default();
    geocoder::answer(&mut html, &visit.params);
    response.content("application/xml; charset=utf-8", html.into_bytes());
    response.header("Cache-Control", "no-store");
    loadstone_web::files::safe_fields(response);
    Ok(())
}
