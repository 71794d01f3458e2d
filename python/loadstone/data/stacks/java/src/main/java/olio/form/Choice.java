package olio.form;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import olio.view.Dates;

/** An option of a select. */
public record Choice(long value, String label) {
    public static final List<Choice> MONTHS =
            IntStream.rangeClosed(1, 12).mapToObj(month -> new Choice(month, Dates.monthName(month))).toList();
    public static final List<Choice> DAYS = numbers(1, 31, "%d");
    public static final List<Choice> HOURS = numbers(0, 23, "%02d");
    public static final List<Choice> MINUTES = numbers(0, 59, "%02d");

    /**
     * Four years from {@code first} on; a chosen year from elsewhere stands alone, so that the list stays
     * short.
     */
    public static List<Choice> years(int first, long chosen) {
        List<Choice> years = new ArrayList<>(numbers(first, first + 3, "%d"));
        Choice other = new Choice(chosen, Long.toString(chosen));
        if (chosen < first) {
            years.add(0, other);
        } else if (chosen > first + 3) {
            years.add(other);
        }
        return years;
    }

    private static List<Choice> numbers(int from, int to, String format) {
        return IntStream.rangeClosed(from, to).mapToObj(n -> new Choice(n, format.formatted(n))).toList();
    }
}
