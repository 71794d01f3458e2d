package olio.data;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import olio.db.Tx;
import olio.model.EventItem;
import olio.model.EventLink;
import olio.model.HomeFilter;
import olio.model.Listing;
import olio.view.Dates;

/**
 * Lists of events. Each finds the ids of its page first and then joins what is shown, so that a page costs
 * one
 * statement whatever its length; every order is total, so that equal databases give equal pages.
 */
public final class EventLists {
    /** Items on a page. */
    private static final int PAGE = 10;

    private static final String BY_DATE = "event_date, e.id";
    private static final String BY_CREATION = "created_at DESC, e.id";

    private EventLists() {}

    /** The events of a day, or from {@code today} on, of one zip code or of all. */
    public static Listing<EventItem> home(Tx tx, HomeFilter filter, LocalDate today) throws SQLException {
        long from = (filter.day() == null ? today : filter.day()).toEpochDay();
        long to = (filter.day() == null ? Dates.LAST : filter.day()).toEpochDay();
        String order = filter.byCreated() ? BY_CREATION : BY_DATE;
        String days = "e.event_date BETWEEN ? AND ? AND e.disabled = 0";
        if (filter.zip().isEmpty()) {
            return page(tx, "event e WHERE " + days, order, filter.page(), from, to);
        }
        String ofZip = "address a JOIN event e ON e.address_id = a.id WHERE a.zip = ? AND " + days;
        return page(tx, ofZip, order, filter.page(), filter.zip(), from, to);
    }

    public static Listing<EventItem> tagged(Tx tx, String tag, int page) throws SQLException {
        String tagged = "tag t JOIN event_tag et ON et.tag_id = t.id JOIN event e ON e.id = et.event_id "
                + "WHERE t.name = ? AND e.disabled = 0";
        return page(tx, tagged, BY_DATE, page, tag);
    }

    /** What a person announced, the newest first. */
    public static Listing<EventItem> posted(Tx tx, long person, int page) throws SQLException {
        return page(tx, "event e WHERE e.user_id = ? AND e.disabled = 0", BY_CREATION, page, person);
    }

    /** What a person attends from {@code today} on. */
    public static Listing<EventItem> upcoming(Tx tx, long person, LocalDate today, int page) throws SQLException {
        String attended = "attendance t JOIN event e ON e.id = t.event_id "
                + "WHERE t.user_id = ? AND e.event_date >= ? AND e.disabled = 0";
        return page(tx, attended, BY_DATE, page, person, today.toEpochDay());
    }

    /** The newest events, the last one added first. */
    public static ArrayList<EventItem> newest(Tx tx, int count) throws SQLException {
        return items(tx, "event e WHERE e.disabled = 0", "created_at DESC, e.id DESC", count, 0);
    }

    /** The ten events that a person announced last, as links. */
    public static List<EventLink> recentlyPosted(Tx tx, long person) throws SQLException {
        return tx.all(
                "SELECT id, title, event_timestamp FROM event WHERE user_id = ? AND disabled = 0 "
                        + "ORDER BY created_at DESC, id LIMIT 10",
                EventLists::link, person);
    }

    private static Listing<EventItem> page(Tx tx, String which, String order, int page, Object... values)
            throws SQLException {
        // One item too many tells of a next page.
        return Listing.of(items(tx, which, order, PAGE + 1, (page - 1) * PAGE, values), page, PAGE);
    }

    private static ArrayList<EventItem> items(
            Tx tx, String which, String order, int limit, int offset, Object... values) throws SQLException {
        String sql = "SELECT e.id, e.title, e.summary, e.event_timestamp, e.created_at, a.city, e.user_id, u.username "
                + "FROM (SELECT e.id FROM " + which + " ORDER BY e." + order
                + " LIMIT " + limit + " OFFSET " + offset + ") p "
                + "JOIN event e ON e.id = p.id JOIN address a ON a.id = e.address_id "
                + "JOIN \"user\" u ON u.id = e.user_id ORDER BY e." + order;
        return tx.all(sql, EventLists::item, values);
    }

    private static EventItem item(ResultSet row) throws SQLException {
        return new EventItem(
                row.getLong(1), row.getString(2), row.getString(3), Dates.ofMinutes(row.getLong(4)),
                Dates.ofMinutes(row.getLong(5)), row.getString(6), row.getLong(7), row.getString(8));
    }

    static EventLink link(ResultSet row) throws SQLException {
        return new EventLink(row.getLong(1), row.getString(2), Dates.ofMinutes(row.getLong(3)));
    }
}
