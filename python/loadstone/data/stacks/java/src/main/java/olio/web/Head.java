package olio.web;

import java.time.YearMonth;

/**
 * What a page's frame says about it.
 *
 * @param month what the calendar shows; null: today's
 * @param message of this very request, which goes before one that an earlier request left; or null
 */
public record Head(String title, String kind, String key, YearMonth month, Message message) {
    public Head(String title, String kind, String key) {
        this(title, kind, key, null, null);
    }

    public Head with(YearMonth month) {
        return new Head(title, kind, key, month, message);
    }

    public Head with(Message message) {
        return new Head(title, kind, key, month, message);
    }
}
