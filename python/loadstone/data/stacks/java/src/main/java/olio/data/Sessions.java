package olio.data;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import olio.db.Tx;
import olio.model.EventLink;
import olio.model.Viewer;

/** Log-in sessions. A row holds the viewer's next events, so that a page need not search for them. */
public final class Sessions {
    private static final Duration LIFE = Duration.ofDays(1);

    /**
     * {@code next_events} of a session whose events have changed since: looked up until they are next
     * stored.
     */
    private static final String STALE = "?";

    private Sessions() {}

    private record Found(long id, String username, String next, long requests) {}

    /** Who a living session belongs to; null when there is no such session. */
    public static Viewer viewer(Tx tx, String session, LocalDate today) throws SQLException {
        Found found = tx.first(
                "SELECT s.user_id, u.username, s.next_events, ("
                        + "SELECT count(*) FROM friendship f WHERE f.friend_id = s.user_id AND f.accepted = 0 "
                        + "AND NOT EXISTS (SELECT 1 FROM friendship r WHERE r.user_id = s.user_id "
                        + "AND r.friend_id = f.user_id AND r.accepted = 1)) "
                        + "FROM session s JOIN \"user\" u ON u.id = s.user_id WHERE s.id = ? AND s.expires_s > ?",
                row -> new Found(row.getLong(1), row.getString(2), row.getString(3), row.getLong(4)), session, now());
        if (found == null) {
            return null;
        }
        String next = found.next.equals(STALE) ? nextEvents(tx, found.id, today) : found.next;
        return new Viewer(found.id, found.username, events(tx, next), found.requests);
    }

    /**
     * Begins a session in place of {@code old}, a living one or null. One log-in in a hundred also clears
     * away those that have ended by themselves: at each, log-ins of the same moment would undo each other.
     */
    public static void replace(Tx tx, String old, String session, long user, LocalDate today) throws SQLException {
        if (old != null) {
            end(tx, old);
        }
        if (ThreadLocalRandom.current().nextInt(100) == 0) {
            tx.execute("DELETE FROM session WHERE expires_s <= ?", now());
        }
        long requests = tx.first(
                "SELECT count(*) FROM friendship WHERE friend_id = ? AND accepted = 0", row -> row.getLong(1), user);
        tx.execute(
                "INSERT INTO session(id, user_id, requests, next_events, created_s, expires_s) VALUES (?, ?, ?, ?, ?, ?)",
                session, user, requests, nextEvents(tx, user, today), now(), now() + LIFE.toSeconds());
    }

    public static void end(Tx tx, String session) throws SQLException {
        tx.execute("DELETE FROM session WHERE id = ?", session);
    }

    /** Ends every session of a person but one. */
    static void endOthers(Tx tx, long user, String session) throws SQLException {
        tx.execute("DELETE FROM session WHERE user_id = ? AND id <> ?", user, session);
    }

    /** Looks a person's next events up again, for all their sessions. */
    static void renewNextEvents(Tx tx, long user, LocalDate today) throws SQLException {
        tx.execute("UPDATE session SET next_events = ? WHERE user_id = ?", nextEvents(tx, user, today), user);
    }

    /** Makes the sessions of everybody who attends an event look their next ones up. */
    static void forgetNextEvents(Tx tx, long event) throws SQLException {
        tx.execute(
                "UPDATE session SET next_events = ? WHERE user_id IN (SELECT user_id FROM attendance WHERE event_id = ?)",
                STALE, event);
    }

    private static String nextEvents(Tx tx, long user, LocalDate today) throws SQLException {
        List<String> ids = tx.all(
                "SELECT e.id FROM attendance a JOIN event e ON e.id = a.event_id "
                        + "WHERE a.user_id = ? AND e.event_date >= ? AND e.disabled = 0 "
                        + "ORDER BY e.event_date, e.id LIMIT 3",
                row -> row.getString(1), user, today.toEpochDay());
        return String.join(",", ids);
    }

    private static List<EventLink> events(Tx tx, String ids) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        Object[] values = Stream.of(ids.split(",")).map(Long::valueOf).toArray();
        String marks = Stream.of(values).map(value -> "?").collect(Collectors.joining(", "));
        return tx.all(
                "SELECT id, title, event_timestamp FROM event WHERE id IN (" + marks + ") ORDER BY event_date, id",
                EventLists::link, values);
    }

    private static long now() {
        return Instant.now().getEpochSecond();
    }
}
