package olio.data;

import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import olio.db.Tx;
import olio.model.Attendees;
import olio.model.PersonLink;

/** Who attends what. */
public final class Attendance {
    private Attendance() {}

    /** Who attends an event, seen by a viewer (0: by nobody). */
    public static Attendees of(Tx tx, long event, long viewer) throws SQLException {
        List<PersonLink> others = tx.all(
                "SELECT u.id, u.username FROM attendance a JOIN \"user\" u ON u.id = a.user_id "
                        + "WHERE a.event_id = ? AND a.user_id <> ? ORDER BY a.user_id LIMIT " + Attendees.SHOWN,
                People::link, event, viewer);
        return tx.first(
                "SELECT count(*), coalesce(max(CASE WHEN user_id = ? THEN 1 ELSE 0 END), 0) FROM attendance "
                        + "WHERE event_id = ?",
                row -> new Attendees(row.getLong(1), others, row.getLong(2) == 1), viewer, event);
    }

    /**
     * Adds a person to the list, where nothing happens when they are on it, and the event to their next
     * ones.
     */
    public static void attend(Tx tx, long event, long person, LocalDate today) throws SQLException {
        tx.execute(tx.dialect().insertNew("attendance(event_id, user_id) VALUES (?, ?)"), event, person);
        Sessions.renewNextEvents(tx, person, today);
    }

    public static void unattend(Tx tx, long event, long person, LocalDate today) throws SQLException {
        tx.execute("DELETE FROM attendance WHERE event_id = ? AND user_id = ?", event, person);
        Sessions.renewNextEvents(tx, person, today);
    }
}
