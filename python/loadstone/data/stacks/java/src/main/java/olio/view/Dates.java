package olio.view;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.TextStyle;
import java.util.Locale;
import java.time.Month;

/** Days and times as the pages and the database write them; without a time zone and without a clock. */
public final class Dates {
    /** The last day of the calendar. */
    public static final LocalDate LAST = LocalDate.of(9999, 12, 31);

    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("MM/dd/uuuu", Locale.ENGLISH);
    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("hh:mm a - EEEE MM/dd/uuuu", Locale.US);
    private static final DateTimeFormatter RFC_822 =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu '00:00:00 GMT'", Locale.US);

    private Dates() {}

    /** {@code 10/22/2008}. */
    public static String day(LocalDateTime moment) {
        return DAY.format(moment);
    }

    /** {@code 03:15 PM - Friday 11/07/2008}. */
    public static String moment(LocalDateTime moment) {
        return MOMENT.format(moment);
    }

    /** {@code Wed, 22 Oct 2008 00:00:00 GMT}: the day alone, as the feed shows it. */
    public static String rfc822(LocalDateTime moment) {
        return RFC_822.format(moment);
    }

    /** {@code 2008-10-22}. */
    public static String iso(LocalDate day) {
        return day.toString();
    }

    public static String monthName(int month) {
        return Month.of(month).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    /** {@code Oct}. */
    public static String shortMonth(YearMonth month) {
        return monthName(month.getMonthValue()).substring(0, 3);
    }

    /** Reads {@code 2008-10-22}; null when there is no such day. */
    public static LocalDate parse(String text) {
        if (!text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}") || text.startsWith("0000")) {
            return null;
        }
        try {
            return LocalDate.parse(text);
        } catch (DateTimeException none) {
            return null;
        }
    }

    /** The minute that is stored as minutes since 1970-01-01 00:00. */
    public static LocalDateTime ofMinutes(long minutes) {
        return LocalDateTime.ofEpochSecond(minutes * 60, 0, ZoneOffset.UTC);
    }

    /** Minutes since 1970-01-01 00:00, as they are stored. */
    public static long minutes(LocalDateTime moment) {
        return moment.toEpochSecond(ZoneOffset.UTC) / 60;
    }
}
