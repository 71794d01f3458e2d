package olio.form;

import olio.media.UploadKind;
import olio.model.Address;
import olio.view.Geocoder;
import olio.web.Params;
import olio.web.Text;

/** Reads fields and collects what is wrong with them. */
final class Check {
    private final Params params;
    private final Complaints wrong = new Complaints();

    Check(Params params) {
        this.params = params;
    }

    void complain(String name, String sentence) {
        wrong.add(name, sentence);
    }

    <T> Checked<T> finish(T value) {
        return new Checked<>(value, wrong);
    }

    /** A text of at most {@code max} characters. */
    String text(String name, int max, boolean required) {
        String value = params.get(name);
        if (required && value.isEmpty()) {
            complain(name, "Please fill this in.");
        }
        if (Text.length(value) > max) {
            complain(name, "At most " + max + " characters, please.");
        }
        return value;
    }

    /**
     * Something before one {@code @}, something with a dot after it, no blanks: only a mail could tell more.
     */
    String email(String name, int max) {
        String value = text(name, max, true);
        if (!value.matches("[^@]+@[^@.]+\\.[^@]+") || value.codePoints().anyMatch(Text::isBlank)) {
            complain(name, "This does not look like an email address.");
        }
        return value;
    }

    /** 7 to 20 digits and dashes. */
    String telephone(boolean required) {
        String value = text("telephone", 20, required);
        if (!value.matches("[0-9-]{7,}") && (required || !value.isEmpty())) {
            complain("telephone", "7 to 20 digits and dashes, please.");
        }
        return value;
    }

    String timezone(boolean required) {
        return text("timezone", 100, required);
    }

    Address address() {
        return new Address(
                text("street1", 55, true), text("street2", 55, false), text("city", 55, true),
                text("state", 25, false), text("zip", 12, true), text("country", 55, true),
                Geocoder.LATITUDE, Geocoder.LONGITUDE);
    }

    /** Whether there is a file. */
    boolean file(String name, UploadKind kind) {
        byte[] bytes = params.file(name);
        if (bytes != null) {
            String sentence = kind.complaint(bytes);
            if (sentence != null) {
                complain(name, sentence);
            }
        }
        return bytes != null;
    }

    /** The address fields as entered. */
    static Address entered(Params params) {
        return new Address(
                params.get("street1"), params.get("street2"), params.get("city"), params.get("state"),
                params.get("zip"), params.get("country"), "", "");
    }
}
