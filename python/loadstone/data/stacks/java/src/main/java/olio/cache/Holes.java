package olio.cache;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Kept pages with a hole where each visitor's own value goes. */
public final class Holes {
    /** What stands in a hole. Forms are cleaned of control characters, so no content holds it. */
    public static final String HOLE = "\u0001";

    private Holes() {}

    public static byte[] fill(byte[] page, String value) {
        byte[] filling = value.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(page.length + 2 * filling.length);
        int start = 0;
        for (int at = 0; at < page.length; at++) {
            if (page[at] == 1) {
                out.write(page, start, at - start);
                out.writeBytes(filling);
                start = at + 1;
            }
        }
        out.write(page, start, page.length - start);
        return out.toByteArray();
    }
}
