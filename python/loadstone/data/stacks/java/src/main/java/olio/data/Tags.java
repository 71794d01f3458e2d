package olio.data;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import olio.db.Tx;
import olio.model.TagCount;

/** Tags and how often they are used. */
public final class Tags {
    private static final int CLOUD = 50;

    private Tags() {}

    /** The most used tags, by name. */
    public static ArrayList<TagCount> cloud(Tx tx) throws SQLException {
        return tx.all(
                "SELECT name, refcount FROM (SELECT name, refcount FROM tag WHERE refcount > 0 "
                        + "ORDER BY refcount DESC, name LIMIT " + CLOUD + ") t ORDER BY name",
                Tags::tag);
    }

    /** By name. */
    public static List<TagCount> of(Tx tx, long event) throws SQLException {
        return tx.all(
                "SELECT t.name, t.refcount FROM event_tag et JOIN tag t ON t.id = et.tag_id WHERE et.event_id = ? "
                        + "ORDER BY t.name",
                Tags::tag, event);
    }

    /** Adds tags, in an order that all transactions keep, so that no two wait for each other. */
    public static void add(Tx tx, long event, List<String> names) throws SQLException {
        for (String name : names) {
            tx.execute(tx.dialect().insertNew("tag(name, refcount) VALUES (?, 0)"), name);
            long tag = tx.first("SELECT id FROM tag WHERE name = ?", row -> row.getLong(1), name);
            if (tx.execute(tx.dialect().insertNew("event_tag(event_id, tag_id) VALUES (?, ?)"), event, tag) > 0) {
                tx.execute("UPDATE tag SET refcount = refcount + 1 WHERE id = ?", tag);
            }
        }
    }

    /** Adds tags; none, and false, when the event would have more than {@code most}. */
    public static boolean addMore(Tx tx, long event, List<String> names, int most) throws SQLException {
        List<String> present = of(tx, event).stream().map(TagCount::name).toList();
        long fresh = names.stream().filter(name -> !present.contains(name)).count();
        boolean fits = fresh == 0 || present.size() + fresh <= most;
        if (fits) {
            add(tx, event, names);
        }
        return fits;
    }

    public static void removeAll(Tx tx, long event) throws SQLException {
        tx.execute(
                "UPDATE tag SET refcount = refcount - 1 WHERE id IN (SELECT tag_id FROM event_tag WHERE event_id = ?)",
                event);
        tx.execute("DELETE FROM event_tag WHERE event_id = ?", event);
    }

    private static TagCount tag(ResultSet row) throws SQLException {
        return new TagCount(row.getString(1), row.getLong(2));
    }
}
