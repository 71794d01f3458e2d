package olio;

import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.LifecycleException;

/** Starts the site as the environment says, and serves until it is told to stop. */
public final class Main {
    /** Exit code for settings with which nothing can be served. */
    private static final int WRONG_SETTING = 2;

    private static final Logger ALL = Logger.getLogger("");
    /** Tells of each connection that broke; the requests that it broke are told anyway. */
    private static final Logger POOL = Logger.getLogger("com.zaxxer.hikari");

    private Main() {}

    public static void main(String[] words) throws LifecycleException {
        ALL.setLevel(Level.WARNING);
        POOL.setLevel(Level.SEVERE);
        Settings settings;
        Site site;
        try {
            settings = Settings.read(System.getenv());
            site = Site.open(settings);
        } catch (PoolInitializationException | SQLException failure) {
            refuse("OLIO_DATABASE: " + failure.getMessage());
            return;
        } catch (IOException failure) {
            refuse("OLIO_FILES, OLIO_STATE or OLIO_CACHE_STORE: " + failure);
            return;
        } catch (IllegalArgumentException wrong) {
            refuse(wrong.getMessage());
            return;
        }
        try {
            Server server = new Server(settings, site);
            Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "stop"));
            server.run();
        } catch (LifecycleException failure) {
            refuse("OLIO_ADDRESS, OLIO_PORT: cannot listen at " + settings.address() + ":" + settings.port());
        }
    }

    private static void refuse(String sentence) {
        System.err.println(sentence);
        System.exit(WRONG_SETTING);
    }
}
