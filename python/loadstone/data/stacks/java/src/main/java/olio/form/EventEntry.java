package olio.form;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.Collectors;
import olio.model.Address;
import olio.model.Event;
import olio.model.TagCount;
import olio.web.Params;

/** What the fields of an event's form show, so that a wrong form comes back as it was entered. */
public record EventEntry(
        String title, String summary, String description, String telephone, String timezone, String tagList,
        long year, long month, long day, long hour, long minute, Address address) {

    /** Nothing but a time: in the evening. */
    public static EventEntry blank(LocalDate today) {
        return new EventEntry(
                "", "", "", "", "", "", today.getYear(), today.getMonthValue(), today.getDayOfMonth(), 19, 0,
                Address.EMPTY);
    }

    public static EventEntry of(Event event, List<TagCount> tags) {
        LocalDateTime when = event.when();
        return new EventEntry(
                event.title(), event.summary(), event.description(), event.telephone(), event.timezone(),
                tags.stream().map(TagCount::name).collect(Collectors.joining(" ")),
                when.getYear(), when.getMonthValue(), when.getDayOfMonth(), when.getHour(), when.getMinute(),
                event.address());
    }

    public static EventEntry entered(Params params) {
        return new EventEntry(
                params.get("title"), params.get("summary"), params.get("description"), params.get("telephone"),
                params.get("timezone"), params.get("tag_list"),
                part(params, 1, 1, 9999), part(params, 2, 1, 12), part(params, 3, 1, 31), part(params, 4, 0, 23),
                part(params, 5, 0, 59), Check.entered(params));
    }

    private static long part(Params params, int index, long low, long high) {
        Long number = params.whole("event_timestamp(" + index + "i)");
        return number == null ? low : Math.max(low, Math.min(high, number));
    }
}
