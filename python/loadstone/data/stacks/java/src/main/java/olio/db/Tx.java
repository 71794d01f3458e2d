package olio.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * One transaction. It takes a connection from the pool when the first statement comes, so that what was
 * answered
 * from a cache takes none.
 */
public final class Tx implements AutoCloseable {
    /** Reads a row. */
    @FunctionalInterface
    public interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** Where connections come from. */
    @FunctionalInterface
    interface Connections {
        Connection get() throws SQLException;
    }

    private final Connections connections;
    private final Dialect dialect;
    private final boolean changes;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private Connection connection;

    Tx(Connections connections, Dialect dialect, boolean changes) {
        this.connections = connections;
        this.dialect = dialect;
        this.changes = changes;
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Every row; a list that can be kept. */
    public <T> ArrayList<T> all(String sql, Mapper<T> mapper, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values); ResultSet rows = statement.executeQuery()) {
            ArrayList<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(mapper.map(rows));
            }
            return all;
        }
    }

    /** The first row; null when there is none. */
    public <T> T first(String sql, Mapper<T> mapper, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values); ResultSet rows = statement.executeQuery()) {
            return rows.next() ? mapper.map(rows) : null;
        }
    }

    /** The id that an {@code INSERT … RETURNING id} gave. */
    public long insert(String sql, Object... values) throws SQLException {
        return first(sql, row -> row.getLong(1), values);
    }

    /** How many rows a statement changed. */
    public int execute(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** Does something once the transaction is committed, and not at all if it never is. */
    public void afterCommit(Runnable work) {
        afterCommit.add(work);
    }

    private PreparedStatement prepared(String sql, Object[] values) throws SQLException {
        if (connection == null) {
            connection = connections.get();
            dialect.begin(connection, changes);
        }
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int at = 0; at < values.length; at++) {
            statement.setObject(at + 1, values[at]);
        }
        return statement;
    }

    void commit() throws SQLException {
        if (connection != null) {
            connection.commit();
        }
        afterCommit.forEach(Runnable::run);
    }

    /** Gives the connection back; the pool undoes what is not committed. */
    @Override
    public void close() throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }
}
