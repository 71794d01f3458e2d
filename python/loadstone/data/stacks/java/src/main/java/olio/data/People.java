package olio.data;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.List;
import olio.db.Dialect;
import olio.db.Tx;
import olio.form.NewPerson;
import olio.model.Listing;
import olio.model.Person;
import olio.model.PersonLink;
import olio.view.Dates;

/** People: reading, looking for, registering, changing, deleting. */
public final class People {
    /** People on a page of a list. */
    static final int PAGE = 24;

    private People() {}

    /** A person's id and the stored form of their password. */
    public record Credentials(long id, String password) {}

    /** Null when there is none, as in all that follow. */
    public static Person find(Tx tx, long id) throws SQLException {
        return tx.first(
                "SELECT u.id, u.username, u.firstname, u.lastname, u.email, u.telephone, u.timezone, u.summary, "
                        + Addresses.COLUMNS
                        + " FROM \"user\" u JOIN address a ON a.id = u.address_id WHERE u.id = ?",
                row -> new Person(
                        row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5),
                        row.getString(6), row.getString(7), row.getString(8), Addresses.read(row, 9)),
                id);
    }

    public static PersonLink findLink(Tx tx, long id) throws SQLException {
        return tx.first("SELECT id, username FROM \"user\" WHERE id = ?", People::link, id);
    }

    public static Credentials credentials(Tx tx, String username) throws SQLException {
        return tx.first(
                "SELECT id, password FROM \"user\" WHERE username = ?",
                row -> new Credentials(row.getLong(1), row.getString(2)), username);
    }

    /** Whether nobody but person {@code except} has this user name. */
    public static boolean isNameFree(Tx tx, String username, long except) throws SQLException {
        return tx.first(
                "SELECT 1 FROM \"user\" WHERE username = ? AND id <> ?", row -> true, username, except) == null;
    }

    /** People whose user name, first name or last name begins with {@code query}, in any case; by id. */
    public static Listing<PersonLink> search(Tx tx, String query, int page) throws SQLException {
        String order = " ORDER BY id LIMIT " + (PAGE + 1) + " OFFSET " + (page - 1) * PAGE;
        if (query.isEmpty()) {
            return Listing.of(tx.all("SELECT id, username FROM \"user\"" + order, People::link), page, PAGE);
        }
        Dialect dialect = tx.dialect();
        String pattern = dialect.prefixPattern(query);
        List<PersonLink> found = tx.all(
                "SELECT id, username FROM \"user\" WHERE " + dialect.startsWith("username")
                        + " OR " + dialect.startsWith("firstname") + " OR " + dialect.startsWith("lastname") + order,
                People::link, pattern, pattern, pattern);
        return Listing.of(found, page, PAGE);
    }

    /** Their id. */
    public static long add(Tx tx, NewPerson person, String password, LocalDateTime now) throws SQLException {
        long address = Addresses.add(tx, person.address());
        return tx.insert(
                "INSERT INTO \"user\"(username, password, firstname, lastname, email, telephone, timezone, summary, "
                        + "address_id, has_image, created_at, updated_at) "
                        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                person.username(), password, person.firstname(), person.lastname(), person.email(),
                person.telephone(), person.timezone(), person.summary(), address, Events.flag(person.hasImage()),
                Dates.minutes(now), Dates.minutes(now));
    }

    /**
     * Changes a person, who is there.
     *
     * @param password null to keep the one that there is; a new one ends every session but {@code session}
     */
    public static void update(
            Tx tx, long id, NewPerson person, String password, String session, LocalDateTime now, long loadedAddresses)
            throws SQLException {
        long old = tx.first("SELECT address_id FROM \"user\" WHERE id = ?", row -> row.getLong(1), id);
        long address = Addresses.change(tx, old, person.address(), loadedAddresses);
        tx.execute(
                "UPDATE \"user\" SET username = ?, firstname = ?, lastname = ?, email = ?, telephone = ?, timezone = ?, "
                        + "summary = ?, address_id = ?, has_image = CASE WHEN has_image = 1 THEN 1 ELSE ? END, "
                        + "updated_at = ? WHERE id = ?",
                person.username(), person.firstname(), person.lastname(), person.email(), person.telephone(),
                person.timezone(), person.summary(), address, Events.flag(person.hasImage()), Dates.minutes(now), id);
        if (password != null) {
            tx.execute("UPDATE \"user\" SET password = ? WHERE id = ?", password, id);
            Sessions.endOthers(tx, id, session);
        }
    }

    /** The events that a person announced. */
    public static List<Long> eventsOf(Tx tx, long id) throws SQLException {
        return tx.all("SELECT id FROM event WHERE user_id = ?", row -> row.getLong(1), id);
    }

    /** The events whose pages name a person who attends or comments. */
    public static List<Long> eventsThatName(Tx tx, long id) throws SQLException {
        return tx.all(
                "SELECT event_id FROM attendance WHERE user_id = ? UNION SELECT event_id FROM comment WHERE user_id = ?",
                row -> row.getLong(1), id, id);
    }

    /** Deletes a person; sessions, attendance, comments and friendships go with them (ON DELETE CASCADE). */
    public static void delete(Tx tx, long id, long loadedAddresses) throws SQLException {
        for (long event : eventsOf(tx, id)) {
            Events.delete(tx, event);
        }
        long address = tx.first("SELECT address_id FROM \"user\" WHERE id = ?", row -> row.getLong(1), id);
        tx.execute("DELETE FROM \"user\" WHERE id = ?", id);
        tx.execute("DELETE FROM address WHERE id = ? AND id > ?", address, loadedAddresses);
    }

    static PersonLink link(ResultSet row) throws SQLException {
        return new PersonLink(row.getLong(1), row.getString(2));
    }
}
