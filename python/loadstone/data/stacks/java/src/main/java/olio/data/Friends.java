package olio.data;

import java.sql.SQLException;
import java.util.List;
import olio.db.Tx;
import olio.model.Listing;
import olio.model.PersonLink;
import olio.model.Relation;

/**
 * Friendship. A row says that {@code user_id} has asked {@code friend_id}; accepted, they are friends both
 * ways.
 */
public final class Friends {
    private Friends() {}

    /** The friends of lowest id. */
    public static List<PersonLink> first(Tx tx, long person, int count) throws SQLException {
        return of(tx, person, count, 0);
    }

    public static Listing<PersonLink> list(Tx tx, long person, int page) throws SQLException {
        return Listing.of(of(tx, person, People.PAGE + 1, (page - 1) * People.PAGE), page, People.PAGE);
    }

    private static List<PersonLink> of(Tx tx, long person, int limit, int offset) throws SQLException {
        return tx.all(
                "SELECT u.id, u.username FROM ("
                        + "SELECT friend_id AS id FROM friendship WHERE user_id = ? AND accepted = 1 "
                        + "UNION SELECT user_id FROM friendship WHERE friend_id = ? AND accepted = 1 "
                        + "ORDER BY 1 LIMIT " + limit + " OFFSET " + offset + ") f "
                        + "JOIN \"user\" u ON u.id = f.id ORDER BY u.id",
                People::link, person, person);
    }

    public static Relation relation(Tx tx, long viewer, long other) throws SQLException {
        if (viewer == other) {
            return Relation.SAME;
        }
        return tx.first(
                "SELECT coalesce((SELECT accepted FROM friendship WHERE user_id = ? AND friend_id = ?), -1), "
                        + "coalesce((SELECT accepted FROM friendship WHERE user_id = ? AND friend_id = ?), -1)",
                row -> relation(row.getInt(1), row.getInt(2)), viewer, other, other, viewer);
    }

    /** From whether each side's request was accepted: 1, 0, or -1 without a request. */
    private static Relation relation(int asked, int askedBy) {
        if (asked == 1 || askedBy == 1) {
            return Relation.FRIENDS;
        }
        if (askedBy == 0) {
            return Relation.ASKED_BY;
        }
        return asked == 0 ? Relation.ASKED : Relation.NONE;
    }

    /** People who have asked the viewer and wait. */
    public static List<PersonLink> incoming(Tx tx, long viewer) throws SQLException {
        return tx.all(
                "SELECT u.id, u.username FROM friendship f JOIN \"user\" u ON u.id = f.user_id "
                        + "WHERE f.friend_id = ? AND f.accepted = 0 AND NOT EXISTS ("
                        + "SELECT 1 FROM friendship r WHERE r.user_id = ? AND r.friend_id = f.user_id AND r.accepted = 1) "
                        + "ORDER BY u.id",
                People::link, viewer, viewer);
    }

    /**
     * People whom the viewer has asked. Those who have asked as well are left out: they wait for the viewer.
     */
    public static List<PersonLink> outgoing(Tx tx, long viewer) throws SQLException {
        return tx.all(
                "SELECT u.id, u.username FROM friendship f JOIN \"user\" u ON u.id = f.friend_id "
                        + "WHERE f.user_id = ? AND f.accepted = 0 AND NOT EXISTS ("
                        + "SELECT 1 FROM friendship r WHERE r.user_id = f.friend_id AND r.friend_id = ?) "
                        + "ORDER BY u.id",
                People::link, viewer, viewer);
    }

    /**
     * The viewer asks a person; when that person has asked before, they become friends. How they stand now.
     */
    public static Relation request(Tx tx, long viewer, long other) throws SQLException {
        Relation before = relation(tx, viewer, other);
        if (before == Relation.ASKED_BY) {
            approve(tx, viewer, other);
            return Relation.FRIENDS;
        }
        if (before == Relation.NONE) {
            tx.execute("INSERT INTO friendship(user_id, friend_id, accepted) VALUES (?, ?, 0)", viewer, other);
            return Relation.ASKED;
        }
        return before;
    }

    /** The viewer accepts a person's request; false when there is none, as in all that follow. */
    public static boolean approve(Tx tx, long viewer, long other) throws SQLException {
        return tx.execute("UPDATE friendship SET accepted = 1 WHERE user_id = ? AND friend_id = ?", other, viewer) > 0;
    }

    /** The viewer refuses a person's request. */
    public static boolean reject(Tx tx, long viewer, long other) throws SQLException {
        return tx.execute(
                "DELETE FROM friendship WHERE user_id = ? AND friend_id = ? AND accepted = 0", other, viewer) > 0;
    }

    /** The viewer takes an own request back. */
    public static boolean revoke(Tx tx, long viewer, long other) throws SQLException {
        return reject(tx, other, viewer);
    }

    /** Ends a friendship, whoever began it, with what was asked before it. */
    public static boolean remove(Tx tx, long viewer, long other) throws SQLException {
        return tx.execute(
                "DELETE FROM friendship WHERE (user_id = ? AND friend_id = ?) OR (user_id = ? AND friend_id = ?)",
                viewer, other, other, viewer) > 0;
    }
}
