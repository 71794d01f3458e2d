package olio.view;

import java.util.List;
import olio.model.TagCount;

/** Tags with their sizes: larger the more events carry them. */
public record Cloud(List<TagCount> tags) {
    /** From 100 to 250 %, rounded up; 100 when all are used alike. */
    public long percent(TagCount tag) {
        long least = tags.stream().mapToLong(TagCount::count).min().orElse(0);
        long span = tags.stream().mapToLong(TagCount::count).max().orElse(0) - least;
        return span == 0 ? 100 : 100 + (150 * (tag.count() - least) + span - 1) / span;
    }
}
