package olio.media;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of a picture or document: a class and an id, written in one way only. */
public record MediaName(MediaClass of, long id) {
    private static final Pattern NAME = Pattern.compile("([ep])([1-9][0-9]{0,19})(t?\\.jpg|l\\.pdf)");

    /** Null for what is no name. */
    public static MediaName parse(String text) {
        Matcher matcher = NAME.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        MediaClass of = MediaClass.find(matcher.group(1), matcher.group(3));
        try {
            return of == null ? null : new MediaName(of, Long.parseUnsignedLong(matcher.group(2)));
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    /** As in URLs. */
    public String text() {
        return of.prefix + Long.toUnsignedString(id) + of.suffix;
    }
}
