package olio.db;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import org.sqlite.SQLiteException;

/** What a failure of the database means for a request. */
public enum SqlFailure {
    /** Others changed, or added, the same at the same time; to be tried again. */
    CONFLICT,
    /** A row that is referred to is not there (any more). */
    NO_REFERENCE,
    /** The database cannot be reached. */
    GONE,
    /** No room is left. */
    FULL,
    OTHER;

    private static final int MARIADB_NO_PARENT = 1452;

    public static SqlFailure of(SQLException failure) {
        if (failure instanceof SQLiteException sqlite) {
            return ofSqlite(sqlite);
        }
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        int code = failure.getErrorCode();
        if (isConflict(failure, state, code)) {
            return CONFLICT;
        }
        if (state.equals("23503") || code == MARIADB_NO_PARENT) {
            return NO_REFERENCE;
        }
        // Besides class 08: a server that is stopping or starting, and one whose connections are all taken.
        if (state.startsWith("08") || state.startsWith("57P") || state.equals("53300")
                || failure instanceof SQLTransientConnectionException
                || failure instanceof SQLNonTransientConnectionException) {
            return GONE;
        }
        // 1021, 1114: a disk or a table that is full.
        return state.equals("53100") || code == 1021 || code == 1114 ? FULL : OTHER;
    }

    private static boolean isConflict(SQLException failure, String state, int code) {
        // 1020: the row has changed since it was read; 1062: it is there already, which was looked up before;
        // 1205: a lock was waited for in vain.
        return failure instanceof SQLTransactionRollbackException
                || state.startsWith("40") || state.equals("23505")
                || code == 1020 || code == 1062 || code == 1205 || code == 1213;
    }

    private static SqlFailure ofSqlite(SQLiteException failure) {
        return switch (failure.getResultCode()) {
            case SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT, SQLITE_LOCKED, SQLITE_CONSTRAINT_UNIQUE,
                    SQLITE_CONSTRAINT_PRIMARYKEY -> CONFLICT;
            case SQLITE_CONSTRAINT_FOREIGNKEY -> NO_REFERENCE;
            case SQLITE_CANTOPEN -> GONE;
            case SQLITE_FULL -> FULL;
            default -> OTHER;
        };
    }
}
