package olio.media;

/** What a picture or document is of; each has a master, which stands for all that were loaded. */
public enum MediaClass {
    EVENT_IMAGE("e", ".jpg"),
    EVENT_THUMBNAIL("e", "t.jpg"),
    EVENT_DOCUMENT("e", "l.pdf"),
    PERSON_IMAGE("p", ".jpg"),
    PERSON_THUMBNAIL("p", "t.jpg");

    final String prefix;
    final String suffix;

    MediaClass(String prefix, String suffix) {
        this.prefix = prefix;
        this.suffix = suffix;
    }

    static MediaClass find(String prefix, String suffix) {
        for (MediaClass of : values()) {
            if (of.prefix.equals(prefix) && of.suffix.equals(suffix)) {
                return of;
            }
        }
        return null;
    }

    /** The class whose upload serves where a thumbnail came without one of its own; null for others. */
    MediaClass full() {
        return switch (this) {
            case EVENT_THUMBNAIL -> EVENT_IMAGE;
            case PERSON_THUMBNAIL -> PERSON_IMAGE;
            default -> null;
        };
    }

    boolean isOfPerson() {
        return prefix.equals("p");
    }
}
