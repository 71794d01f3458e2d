package olio.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The database behind a pool of as many connections as requests are worked on at a time. */
public final class Database implements AutoCloseable {
    private static final int TRIES = 20;
    private static final int LONGEST_PAUSE_MS = 100;
    /** How long the database counts as gone after somebody has waited for a connection in vain. */
    private static final Duration GONE = Duration.ofMillis(500);

    /** What happens within a transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T with(Tx tx) throws SQLException;
    }

    private final HikariDataSource pool;
    private final Dialect dialect;
    private volatile long waitedInVain = System.nanoTime() - GONE.toNanos();

    /** @throws com.zaxxer.hikari.pool.HikariPool.PoolInitializationException when it cannot be reached */
    public Database(DatabaseUrl url, int connections) {
        this(url, config(url, connections));
    }

    /** One that is only read from, and need not be there yet. */
    static Database copy(DatabaseUrl url, int connections) {
        HikariConfig config = config(url, connections);
        config.setPoolName("copy");
        config.setReadOnly(true);
        config.setInitializationFailTimeout(-1);
        return new Database(url, config);
    }

    private Database(DatabaseUrl url, HikariConfig config) {
        pool = new HikariDataSource(config);
        dialect = url.dialect();
    }

    private static HikariConfig config(DatabaseUrl url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("olio");
        config.setJdbcUrl(url.jdbcUrl());
        if (url.dialect() == Dialect.SQLITE) {
            config.addDataSourceProperty("busy_timeout", "10000");
        } else {
            config.setUsername(url.user());
            config.setPassword(url.password());
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        }
        config.setConnectionInitSql(url.dialect().greeting);
        config.setAutoCommit(false);
        config.setMaximumPoolSize(connections);
        // Nobody waits for a connection that others use, so who waits at all waits for a database that is
        // gone.
        config.setConnectionTimeout(1000);
        config.setValidationTimeout(500);
        return config;
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Reads in one snapshot. A connection that broke since it was last used is replaced once. */
    public <T> T read(Work<T> work) throws SQLException {
        try {
            return once(work, false);
        } catch (SQLException failure) {
            if (SqlFailure.of(failure) != SqlFailure.GONE || failure instanceof SQLTransientConnectionException) {
                throw failure;
            }
            return once(work, false);
        }
    }

    /**
     * Changes in one serializable transaction. After a conflict or a deadlock the work is done again, so it
     * must do
     * nothing that cannot be undone; {@link Tx#afterCommit} is for the rest. A change that may have been
     * committed when the database went away is not repeated.
     */
    public <T> T change(Work<T> work) throws SQLException {
        for (int tried = 1; ; tried++) {
            try {
                return once(work, true);
            } catch (SQLException failure) {
                if (SqlFailure.of(failure) != SqlFailure.CONFLICT || tried == TRIES) {
                    throw failure;
                }
            }
            pause(tried);
        }
    }

    private <T> T once(Work<T> work, boolean changes) throws SQLException {
        try (Tx tx = new Tx(this::connection, dialect, changes)) {
            T result = work.with(tx);
            tx.commit();
            return result;
        }
    }

    /** A connection; while the database is gone not everybody waits for one. */
    private Connection connection() throws SQLException {
        boolean isGone = System.nanoTime() - waitedInVain < GONE.toNanos();
        if (isGone && pool.getHikariPoolMXBean().getIdleConnections() == 0) {
            throw new SQLTransientConnectionException("there is no connection to the database");
        }
        try {
            return pool.getConnection();
        } catch (SQLTransientConnectionException inVain) {
            waitedInVain = System.nanoTime();
            throw inVain;
        }
    }

    /** Who collided waits a time of their own, so as not to collide again. */
    private static void pause(int tried) throws SQLException {
        try {
            int longest = Math.min(LONGEST_PAUSE_MS, 4 << Math.min(tried, 5));
            Thread.sleep(ThreadLocalRandom.current().nextInt(1, longest));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SQLException("the server stops", stopped);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
