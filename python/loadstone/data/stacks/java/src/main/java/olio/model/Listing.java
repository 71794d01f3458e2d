package olio.model;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** One page of a list, counted from 1; {@code more} tells whether another page follows. */
public record Listing<T>(List<T> items, int page, boolean more) implements Serializable {
    /** The page of what was read with a limit of one item more than fits. */
    public static <T> Listing<T> of(List<T> read, int page, int fits) {
        return new Listing<>(new ArrayList<>(read.subList(0, Math.min(fits, read.size()))), page, read.size() > fits);
    }

    /** Whether the function gives {@code value} for one of the items. */
    public boolean has(Function<T, Long> of, long value) {
        return items.stream().anyMatch(item -> of.apply(item) == value);
    }
}
