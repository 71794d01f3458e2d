package olio;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import olio.data.Meta;

/**
 * Requests that the site makes of itself before it takes any. The JVM compiles what runs often: while it does, with
 * little processor, people would wait for seconds.
 */
final class WarmUp {
    private static final Logger LOG = Logger.getLogger(WarmUp.class.getName());
    /** Pages that change nothing, with the id of an event and of a person. */
    private static final List<String> PAGES = List.of(
            "/", "/events/%1$d", "/users/%2$d", "/events/rss", "/users/%2$d/posted_events", "/users/search?query=a",
            "/media/e%1$dt.jpg", "/media/p%2$dt.jpg");

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI site;
    private final Meta meta;

    WarmUp(int port, Meta meta) {
        this.site = URI.create("http://127.0.0.1:" + port);
        this.meta = meta;
    }

    /** Asks for pages all the time, as many at once as the site works on; returns after this long. */
    void run(Duration length, int workers) {
        long end = System.nanoTime() + length.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < workers; number++) {
            Thread thread = new Thread(() -> ask(end), "warm-up");
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void ask(long end) {
        try {
            while (System.nanoTime() < end) {
                for (String page : PAGES) {
                    String path = page.formatted(drawn(meta.events()), drawn(meta.accounts()));
                    HttpRequest request = HttpRequest.newBuilder(site.resolve(path)).build();
                    int status = client.send(request, BodyHandlers.discarding()).statusCode();
                    // An event may be gone: another server has been at work.
                    if (status >= 500) {
                        LOG.log(Level.WARNING, "the site warms up no further: {0} is {1}", new Object[] {path, status});
                        return;
                    }
                }
            }
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "the site warms up no further", failure);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static long drawn(long most) {
        return ThreadLocalRandom.current().nextLong(Math.max(1, most)) + 1;
    }
}
