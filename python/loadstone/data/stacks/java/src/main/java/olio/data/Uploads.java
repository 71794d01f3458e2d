package olio.data;

import java.sql.SQLException;
import java.util.List;
import olio.db.Tx;

/** Uploads: rows under the names of their URLs, with a stamp that grows with every change of any of them. */
public final class Uploads {
    private Uploads() {}

    /** A name whose upload was changed or taken away. */
    public record News(String name, long stamp) {}

    /** Makes the table where the loader does not: in SQLite. */
    public static void createTable(Tx tx) throws SQLException {
        tx.execute("CREATE TABLE IF NOT EXISTS upload("
                + "name TEXT PRIMARY KEY, stamp INTEGER NOT NULL UNIQUE, bytes BLOB) STRICT");
    }

    /**
     * What was changed after a stamp, in order. Whether a name has bytes shows when they are asked for: MariaDB
     * would read all of them to say that there are some.
     */
    public static List<News> news(Tx tx, long last) throws SQLException {
        return tx.all(
                "SELECT name, stamp FROM upload WHERE stamp > ? ORDER BY stamp",
                row -> new News(row.getString(1), row.getLong(2)), last);
    }

    /** The bytes of an upload, if that is still the one with this stamp; else null. */
    public static byte[] bytes(Tx tx, String name, long stamp) throws SQLException {
        return tx.first("SELECT bytes FROM upload WHERE name = ? AND stamp = ?", row -> row.getBytes(1), name, stamp);
    }

    /** Stores an upload in place of the one before. */
    public static void put(Tx tx, String name, byte[] bytes) throws SQLException {
        // Looked for first: an update in vain would send the whole file twice.
        boolean isThere = tx.first("SELECT 1 FROM upload WHERE name = ?", row -> true, name) != null;
        String sql = isThere
                ? "UPDATE upload SET stamp = ?, bytes = ? WHERE name = ?"
                : "INSERT INTO upload(stamp, bytes, name) VALUES (?, ?, ?)";
        tx.execute(sql, nextStamp(tx), bytes, name);
    }

    /** Takes an upload away. Its name stays, with a stamp that tells of it. */
    public static void remove(Tx tx, String name) throws SQLException {
        boolean isThere = tx.first(
                "SELECT 1 FROM upload WHERE name = ? AND bytes IS NOT NULL", row -> true, name) != null;
        if (isThere) {
            tx.execute("UPDATE upload SET stamp = ?, bytes = NULL WHERE name = ?", nextStamp(tx), name);
        }
    }

    /**
     * Two transactions that take the same one conflict, and one is run again: stamps are committed in their
     * order,
     * so that who has seen one has seen all before it.
     */
    private static long nextStamp(Tx tx) throws SQLException {
        return tx.first("SELECT coalesce(max(stamp), 0) + 1 FROM upload", row -> row.getLong(1));
    }
}
