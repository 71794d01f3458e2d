package olio.form;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.util.List;
import olio.media.UploadKind;
import olio.model.Address;
import olio.web.Params;

/** An event as a form gives it, checked; its tags are distinct and in order. */
public record NewEvent(
        String title, String summary, String description, String telephone, String timezone, LocalDateTime when,
        Address address, List<String> tags, boolean hasImage, boolean hasDocument) {

    public static Checked<NewEvent> read(Params params) {
        Check check = new Check(params);
        String timezone = check.timezone(false);
        List<String> tags = TagList.read(params.get("tag_list"));
        if (tags == null) {
            check.complain("tag_list", "At most " + TagList.MOST + " tags of 1 to 30 letters, digits, '-' or '_'.");
        }
        NewEvent event = new NewEvent(
                check.text("title", 100, true),
                check.text("summary", 100, false),
                check.text("description", 500, true),
                check.telephone(true),
                timezone.isEmpty() ? "UTC" : timezone,
                when(params, check),
                check.address(),
                tags,
                check.file("event_image", UploadKind.IMAGE),
                check.file("event_document", UploadKind.DOCUMENT));
        check.file("event_thumbnail", UploadKind.THUMBNAIL);
        return check.finish(event);
    }

    /** The five selects of a time; null with a complaint. */
    private static LocalDateTime when(Params params, Check check) {
        int[] part = new int[5];
        boolean isThere = true;
        for (int at = 0; at < part.length; at++) {
            Long number = params.whole("event_timestamp(" + (at + 1) + "i)");
            isThere &= number != null && number <= 9999;
            part[at] = isThere ? number.intValue() : 0;
        }
        try {
            if (isThere && part[0] >= 1) {
                return LocalDateTime.of(part[0], part[1], part[2], part[3], part[4]);
            }
        } catch (DateTimeException none) {
            // As below: February 30, 25 o'clock.
        }
        check.complain("event_timestamp", "There is no such day and time.");
        return null;
    }
}
