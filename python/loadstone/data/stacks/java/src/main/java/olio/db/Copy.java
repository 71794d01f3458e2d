package olio.db;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** A copy of the database, and whether it may be read from. */
final class Copy {
    /** One that is further behind is not read from. */
    private static final double MOST_LAG_SECONDS = 5;
    /** Between two looks at how far it is behind. */
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** One that is gone is left alone for so long. */
    private static final Duration REST = Duration.ofSeconds(5);

    private final Database database;
    private final ReentrantLock looking = new ReentrantLock();
    private volatile boolean isCurrent;
    /** When the next look is due, by {@link System#nanoTime}. */
    private volatile long due = System.nanoTime();

    Copy(DatabaseUrl url, int connections) {
        database = Database.copy(url, connections);
    }

    Database database() {
        return database;
    }

    /** Whether it may be read from; not while another thread finds out. */
    boolean isCurrent() {
        if (System.nanoTime() - due < 0) {
            return isCurrent;
        }
        if (!looking.tryLock()) {
            return false;
        }
        try {
            look();
        } finally {
            looking.unlock();
        }
        return isCurrent;
    }

    private void look() {
        long asked = System.nanoTime();
        try {
            String lag = database.read(
                    tx -> tx.first(tx.dialect().lag, row -> row.getString(Dialect.LAG)));
            // Nothing is known of one that follows nobody at the moment.
            isCurrent = lag != null && Double.parseDouble(lag) <= MOST_LAG_SECONDS;
            due = asked + LOOK.toNanos();
        } catch (SQLException gone) {
            isCurrent = false;
            due = System.nanoTime() + REST.toNanos();
        }
    }

    /** It could not answer: it is looked at before it is asked again. */
    void doubt() {
        due = System.nanoTime();
    }
}
