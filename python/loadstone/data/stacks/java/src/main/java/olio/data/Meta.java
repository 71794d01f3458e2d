package olio.data;

import java.sql.SQLException;
import java.time.LocalDate;
import olio.db.Tx;

/**
 * What the data set says about itself.
 *
 * @param today the data set's today; the wall clock only ends sessions and caches
 * @param accounts how many were loaded, with ids from 1, as of the events
 */
public record Meta(String profile, LocalDate today, long accounts, long events) {
    private static final String FORMAT = "1";

    /** @throws IllegalArgumentException with a sentence, when this is no data set that the stack can serve */
    public static Meta read(Tx tx) throws SQLException {
        String format = text(tx, "format");
        if (!FORMAT.equals(format)) {
            throw new IllegalArgumentException("the data set has format " + format + ", this program reads " + FORMAT);
        }
        String profile = text(tx, "profile");
        if ("loadstone-2026".equals(profile)) {
            throw new IllegalArgumentException("profile " + profile + " has a picture for each row, and is not served");
        }
        LocalDate today = LocalDate.ofEpochDay(Long.parseLong(text(tx, "base_day")));
        return new Meta(profile, today, Long.parseLong(text(tx, "accounts")), Long.parseLong(text(tx, "events")));
    }

    /** The key of the tokens: what the first server of the database drew, or {@code fresh}. */
    public static String secret(Tx tx, String fresh) throws SQLException {
        tx.execute(tx.dialect().insertNew("meta(name, value) VALUES ('secret', ?)"), fresh);
        return text(tx, "secret");
    }

    private static String text(Tx tx, String name) throws SQLException {
        return tx.first("SELECT value FROM meta WHERE name = ?", row -> row.getString(1), name);
    }
}
