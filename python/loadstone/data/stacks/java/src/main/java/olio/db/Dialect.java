package olio.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteConnection;

/** Where the three databases differ; all other SQL is the same for them. */
public enum Dialect {
    POSTGRES("INSERT INTO %s ON CONFLICT DO NOTHING", null) {
        @Override
        public String startsWith(String column) {
            // The names' columns have the collation "C", whose letters are those of ASCII.
            return column + " ILIKE ? ESCAPE '!'";
        }
    },
    /** "user" is a name there only where double quotes are not those of texts. */
    MARIADB("INSERT IGNORE INTO %s", "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')") {
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
    SQLITE("INSERT INTO %s ON CONFLICT DO NOTHING", "PRAGMA foreign_keys = ON") {
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

    private final String insertNew;
    /** What a new connection is told first, or null. */
    final String greeting;

    Dialect(String insertNew, String greeting) {
        this.insertNew = insertNew;
        this.greeting = greeting;
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
