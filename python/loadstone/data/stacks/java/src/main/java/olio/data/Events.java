package olio.data;

import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import olio.db.Tx;
import olio.form.NewEvent;
import olio.model.Event;
import olio.view.Dates;

/** One event: reading, adding, changing, deleting. */
public final class Events {
    private Events() {}

    /** Null when there is none. */
    public static Event find(Tx tx, long id) throws SQLException {
        return tx.first(
                "SELECT e.id, e.title, e.summary, e.description, e.telephone, e.timezone, e.event_timestamp, "
                        + "e.user_id, u.username, e.has_image, e.has_document, " + Addresses.COLUMNS
                        + " FROM event e JOIN \"user\" u ON u.id = e.user_id JOIN address a ON a.id = e.address_id "
                        + "WHERE e.id = ? AND e.disabled = 0",
                row -> new Event(
                        row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5),
                        row.getString(6), Dates.ofMinutes(row.getLong(7)), row.getLong(8), row.getString(9),
                        row.getLong(10) == 1, row.getLong(11) == 1, Addresses.read(row, 12)),
                id);
    }

    /** Who announced it; null when there is no such event. */
    public static Long creator(Tx tx, long id) throws SQLException {
        return tx.first("SELECT user_id FROM event WHERE id = ? AND disabled = 0", row -> row.getLong(1), id);
    }

    /** Adds an event with its address and tags, which its creator attends; its id. */
    public static long add(Tx tx, NewEvent event, long creator, LocalDateTime now) throws SQLException {
        long address = Addresses.add(tx, event.address());
        long id = tx.insert(
                "INSERT INTO event(title, summary, description, telephone, timezone, user_id, address_id, has_image, "
                        + "has_document, event_timestamp, event_date, created_at, total_score, num_votes, disabled) "
                        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0) RETURNING id",
                event.title(), event.summary(), event.description(), event.telephone(), event.timezone(), creator,
                address, flag(event.hasImage()), flag(event.hasDocument()), Dates.minutes(event.when()),
                event.when().toLocalDate().toEpochDay(), Dates.minutes(now));
        Tags.add(tx, id, event.tags());
        Attendance.attend(tx, id, creator, now.toLocalDate());
        return id;
    }

    /** Changes an event, which is there; its tags become exactly the given ones. */
    public static void update(Tx tx, long id, NewEvent event, long loadedAddresses) throws SQLException {
        long old = tx.first("SELECT address_id FROM event WHERE id = ?", row -> row.getLong(1), id);
        long address = Addresses.change(tx, old, event.address(), loadedAddresses);
        tx.execute(
                "UPDATE event SET title = ?, summary = ?, description = ?, telephone = ?, timezone = ?, "
                        + "address_id = ?, has_image = CASE WHEN has_image = 1 THEN 1 ELSE ? END, "
                        + "has_document = CASE WHEN has_document = 1 THEN 1 ELSE ? END, event_timestamp = ?, "
                        + "event_date = ? WHERE id = ?",
                event.title(), event.summary(), event.description(), event.telephone(), event.timezone(), address,
                flag(event.hasImage()), flag(event.hasDocument()), Dates.minutes(event.when()),
                event.when().toLocalDate().toEpochDay(), id);
        Tags.removeAll(tx, id);
        Tags.add(tx, id, event.tags());
        Sessions.forgetNextEvents(tx, id);
    }

    /** Deletes an event; attendance and comments go with it (ON DELETE CASCADE). */
    public static void delete(Tx tx, long id) throws SQLException {
        Sessions.forgetNextEvents(tx, id);
        Tags.removeAll(tx, id);
        tx.execute("DELETE FROM event WHERE id = ?", id);
    }

    /** When and where it is, which tells which lists show it; null when there is no such event. */
    public static Place place(Tx tx, long id) throws SQLException {
        return tx.first(
                "SELECT e.event_date, a.zip, e.user_id FROM event e JOIN address a ON a.id = e.address_id WHERE e.id = ?",
                row -> new Place(LocalDate.ofEpochDay(row.getLong(1)), row.getString(2), row.getLong(3)), id);
    }

    /** Day, zip code and creator of an event. */
    public record Place(LocalDate day, String zip, long creator) {}

    static long flag(boolean is) {
        return is ? 1 : 0;
    }
}
