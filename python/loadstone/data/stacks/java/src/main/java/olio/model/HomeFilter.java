package olio.model;

import java.time.LocalDate;
import olio.view.Dates;

/** What the home page was asked for, checked; {@code zip} may be empty, {@code day} null. */
public record HomeFilter(int page, boolean byCreated, String zip, LocalDate day) {
    public String heading() {
        if (day != null) {
            return "Events on one day";
        }
        return byCreated ? "Upcoming events, newest first" : "Upcoming events";
    }

    /** The day as links and the form write it; empty without one. */
    public String isoDay() {
        return day == null ? "" : Dates.iso(day);
    }

    /** Names exactly what the page shows. */
    public String key() {
        return "home:page=" + page + ";order=" + (byCreated ? "created" : "date") + ";zip=" + zip + ";day=" + isoDay();
    }
}
