package olio.action;

import gg.jte.Content;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.YearMonth;
import olio.Site;
import olio.cache.Cache;
import olio.cache.Holes;
import olio.cache.Keys;
import olio.data.EventLists;
import olio.data.Tags;
import olio.db.Tx;
import olio.form.TagList;
import olio.model.EventItem;
import olio.model.HomeFilter;
import olio.model.Listing;
import olio.view.Calendar;
import olio.view.Cloud;
import olio.view.Dates;
import olio.view.Pages;
import olio.view.Views;
import olio.view.Xml;
import olio.web.Head;
import olio.web.Params;
import olio.web.Reply;
import olio.web.Text;
import olio.web.Visit;

/** The home page, events with a tag, the calendar, the feed, and the geocoder. */
public final class HomeActions {
    private static final int FEED = 15;
    /** Most characters of a zip code, as in an address. */
    private static final int ZIP_CHARS = 12;

    private final Site site;
    private final Cache cache;

    public HomeActions(Site site) {
        this.site = site;
        this.cache = site.cache();
    }

    public Reply home(Visit visit, Tx tx, long[] ids) throws SQLException {
        LocalDate day = Dates.parse(visit.params().get("day"));
        return home(visit, tx, day, day == null ? null : YearMonth.from(day));
    }

    /** Another month of the calendar; for a browser without scripts the home page with that month. */
    public Reply calendar(Visit visit, Tx tx, long[] ids) throws SQLException {
        YearMonth asked = Calendar.month(visit.params().whole("year"), visit.params().whole("month"));
        YearMonth month = asked == null ? YearMonth.from(site.today()) : asked;
        if (visit.wantsFragment()) {
            return site.replies().fragment(Views.of("calendar", "month", month, "today", site.today()));
        }
        return home(visit, tx, null, month);
    }

    private Reply home(Visit visit, Tx tx, LocalDate day, YearMonth month) throws SQLException {
        Params params = visit.params();
        String zip = params.get("zip");
        HomeFilter filter = new HomeFilter(
                params.page(), params.get("order").equals("created"), Text.length(zip) > ZIP_CHARS ? "" : zip, day);
        Head head = new Head("Events", "home", filter.key()).with(month);
        // Kept pages show the month of their day and no message, to nobody in particular.
        boolean isPlain = day == null ? month == null : month.equals(YearMonth.from(day));
        if (!cache.keepsPages() || visit.viewer() != null || visit.notice() != null || !isPlain) {
            return site.replies().page(visit, head, homeContent(visit, tx, filter));
        }
        byte[] page = cache.page(
                Keys.home(site.today(), filter), Cache.HOME_LIFE,
                () -> site.replies().written(head, null, Holes.HOLE, null, homeContent(visit, tx, filter)));
        return site.replies().page(visit, () -> Holes.fill(page, visit.token()));
    }

    private Content homeContent(Visit visit, Tx tx, HomeFilter filter) throws SQLException {
        String key = Keys.home(site.today(), filter);
        Listed listed = new Listed(visit, key, () -> EventLists.home(tx, filter, site.today()));
        return cache.content(key + ":" + listed.viewerClass(), () -> Views.of(
                "home",
                "filter", filter,
                "list", listed.part(key, Pages.of(filter)),
                "cloud", cache.part(Keys.CLOUD, () -> cloud(tx))));
    }

    private Content cloud(Tx tx) throws SQLException {
        return Views.of("cloud", "cloud", new Cloud(cache.rows(Keys.CLOUD, () -> Tags.cloud(tx))));
    }

    /** Events with a tag, at one of two paths, to which the pager leads. */
    public Reply tagged(Visit visit, Tx tx, long[] ids) throws SQLException {
        String asked = visit.params().get("tag");
        int page = visit.params().page();
        // What is longer than any tag has no events and need not be asked for.
        String tag = Text.length(asked) > TagList.LONGEST ? "" : asked;
        String key = Keys.tagged(tag, page);
        String partKey = visit.path() + ":" + key;
        Listed listed = new Listed(visit, key, () -> EventLists.tagged(tx, tag, page));
        Content content = cache.content(partKey + ":" + listed.viewerClass(), () -> Views.of(
                "tagged", "tag", tag, "list", listed.part(partKey, Pages.at(visit.path(), "tag", tag))));
        return site.replies().page(visit, new Head("Tagged events", "tag", key), content);
    }

    /** The newest events as RSS, whose links are whole addresses. */
    public Reply feed(Visit visit, Tx tx, long[] ids) throws SQLException {
        byte[] feed = cache.page(
                Keys.FEED, Cache.FEED_LIFE,
                () -> Xml.feed(Holes.HOLE, cache.rows(Keys.FEED, () -> EventLists.newest(tx, FEED))));
        return site.replies().xml(
                "application/rss+xml; charset=utf-8", "public, max-age=30", Holes.fill(feed, visit.origin()));
    }

    public Reply geocode(Visit visit, Tx tx, long[] ids) {
        Params params = visit.params();
        return site.replies().xml(
                Xml.place(params.get("street"), params.get("city"), params.get("state"), params.get("zip")));
    }

    /** A list for one viewer, whose rows are read when they are needed. */
    private final class Listed {
        private final Visit visit;
        private final String key;
        private final Cache.Make<Listing<EventItem>> read;
        private Listing<EventItem> events;

        Listed(Visit visit, String key, Cache.Make<Listing<EventItem>> read) {
            this.visit = visit;
            this.key = key;
            this.read = read;
        }

        private Listing<EventItem> events() throws SQLException {
            if (events == null) {
                events = cache.rows(key, read);
            }
            return events;
        }

        /** Who is not logged in sees what most see, whatever the rows are. */
        String viewerClass() throws SQLException {
            return visit.viewer() == null
                    ? Keys.others()
                    : Keys.viewerClass(visit.viewer(), events(), EventItem::creatorId);
        }

        Content part(String partKey, Pages pages) throws SQLException {
            return cache.part(partKey + ":" + viewerClass(), () -> Views.of(
                    "events", "events", events(), "owner", visit.viewerId(), "pages", pages));
        }
    }
}
