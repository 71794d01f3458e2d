package olio.db;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import olio.db.Database.Work;

/**
 * Copies of the database that follow it: a page that only reads may come from one that is not far behind. Who has
 * changed something has a cookie for a while, and reads from the database itself.
 */
public final class Copies implements AutoCloseable {
    private final List<Copy> copies;

    public Copies(List<DatabaseUrl> urls, int connections) {
        copies = urls.stream().map(url -> new Copy(url, connections)).toList();
    }

    public boolean isEmpty() {
        return copies.isEmpty();
    }

    /** What the work finds in one snapshot of a copy; null when the database itself has to be asked. */
    public <T> T read(Work<T> work) {
        if (copies.isEmpty()) {
            return null;
        }
        Copy copy = copies.get(ThreadLocalRandom.current().nextInt(copies.size()));
        if (!copy.isCurrent()) {
            return null;
        }
        try {
            return copy.database().read(work);
        } catch (SQLException | RuntimeException failure) {
            // Whatever it was, also that there is no such thing: the database knows better.
            copy.doubt();
            return null;
        }
    }

    @Override
    public void close() {
        copies.forEach(copy -> copy.database().close());
    }
}
