package olio.model;

import java.io.Serializable;
import java.time.LocalDateTime;

/** A comment. */
public record Comment(
        long id, long authorId, String author, String text, int rating, LocalDateTime created) implements Serializable {
    public String stars() {
        return "★".repeat(rating) + "☆".repeat(5 - rating);
    }
}
