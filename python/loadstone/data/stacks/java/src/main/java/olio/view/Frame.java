package olio.view;

import java.time.LocalDate;
import java.time.YearMonth;
import olio.model.Viewer;
import olio.web.Message;

/**
 * What a page needs besides its own content.
 *
 * @param title without the site's name
 * @param kind what kind of page it is; stands in {@code data-page}
 * @param key names exactly what the page shows; stands in {@code data-key}, so that a client can check that
 *     it
 *     got the list or the thing that it asked for
 * @param viewer who looks at it, or null
 * @param token of the forms
 * @param message what has just happened, or null
 * @param month what the calendar shows
 */
public record Frame(
        String title, String kind, String key, Viewer viewer, String token, Message message,
        LocalDate today, YearMonth month) {

    /** {@code page} for the link that leads here, else null: no attribute. */
    public String current(String kind) {
        return this.kind.equals(kind) ? "page" : null;
    }
}
