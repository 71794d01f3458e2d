package olio.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteConnection;

/** Where the three databases differ; all other SQL is the same for them. */
public enum Dialect {
    POSTGRES("INSERT INTO %s ON CONFLICT DO NOTHING", null,
            "SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 "
                    + "ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) END "
                    + "AS \"Seconds_Behind_Master\" FROM pg_stat_wal_receiver") {
        @Override
        public String startsWith(String column) {
            // The names' columns have the collation "C", whose letters are those of ASCII.
            return column + " ILIKE ? ESCAPE '!'";
        }
    },
    /** "user" is a name there only where double quotes are not those of texts. */
    MARIADB("INSERT IGNORE INTO %s", "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')",
            "SHOW SLAVE STATUS") {
        @Override
        public String startsWith(String column) {
            // Of bytes only ASCII's letters have a case.
            return "CAST(" + column + " AS BINARY) REGEXP CAST(? AS BINARY)";
        }

        @Override
        public String prefixPattern(String prefix) {
            return "(?i)^" + Pattern.quote(prefix);
        }
    },
    SQLITE("INSERT INTO %s ON CONFLICT DO NOTHING", "PRAGMA foreign_keys = ON", null) {
        @Override
        public String startsWith(String column) {
            return column + " LIKE ? ESCAPE '!'";
        }

        @Override
        void begin(Connection connection, boolean changes) throws SQLException {
            connection.unwrap(SQLiteConnection.class)
                    .setCurrentTransactionMode(changes ? TransactionMode.IMMEDIATE : TransactionMode.DEFERRED);
        }
    };

    /** The column of {@link #lag}, in seconds; null, or no row, where a server follows none at the moment. */
    static final String LAG = "Seconds_Behind_Master";

    private final String insertNew;
    /** What a new connection is told first, or null. */
    final String greeting;
    /** Asks a server how far it is behind the one that it follows. */
    final String lag;

    Dialect(String insertNew, String greeting, String lag) {
        this.insertNew = insertNew;
        this.greeting = greeting;
        this.lag = lag;
    }

    /** An insert of {@code row} ("table(columns) VALUES …") that does nothing when there is such a row. */
    public String insertNew(String row) {
        return insertNew.formatted(row);
    }

    /**
     * The condition that a text begins with what {@link #prefixPattern} made, in any case of ASCII's
     * letters.
     */
    public abstract String startsWith(String column);

    /** The value to compare with in {@link #startsWith}. */
    public String prefixPattern(String prefix) {
        return prefix.replaceAll("[!%_]", "!$0") + "%";
    }

    /** Before the first statement of a transaction: changes are serializable. */
    void begin(Connection connection, boolean changes) throws SQLException {
        if (changes) {
            try (var statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            }
        }
    }
}
