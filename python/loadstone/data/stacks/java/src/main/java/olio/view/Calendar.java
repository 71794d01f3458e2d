package olio.view;

import java.time.LocalDate;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;

/** The month calendar of the side column. */
public final class Calendar {
    private Calendar() {}

    /** The weeks of a month from Sunday to Saturday; null where a day is of another month. */
    public static List<List<LocalDate>> weeks(YearMonth month) {
        List<List<LocalDate>> weeks = new ArrayList<>();
        LocalDate first = month.atDay(1);
        int lead = first.getDayOfWeek().getValue() % 7;
        LocalDate sunday = first.minusDays(lead);
        for (; !sunday.isAfter(month.atEndOfMonth()); sunday = sunday.plusDays(7)) {
            List<LocalDate> week = new ArrayList<>(7);
            for (int day = 0; day < 7; day++) {
                LocalDate date = sunday.plusDays(day);
                week.add(YearMonth.from(date).equals(month) ? date : null);
            }
            weeks.add(week);
        }
        return weeks;
    }

    /** The month of a year from 1 to 9999; null when there is none. */
    public static YearMonth month(Long year, Long month) {
        boolean exists = year != null && month != null && year >= 1 && year <= 9999 && month >= 1 && month <= 12;
        return exists ? YearMonth.of(year.intValue(), month.intValue()) : null;
    }

    /** The month before; null before the first. */
    public static YearMonth before(YearMonth month) {
        return kept(month.minusMonths(1));
    }

    /** The month after; null after the last. */
    public static YearMonth after(YearMonth month) {
        return kept(month.plusMonths(1));
    }

    private static YearMonth kept(YearMonth month) {
        return month((long) month.getYear(), (long) month.getMonthValue());
    }
}
