package olio.view;

import gg.jte.Content;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.TemplateOutput;
import java.util.HashMap;
import java.util.Map;

/** The templates under {@code src/main/jte}, compiled with the program. */
public final class Views {
    private static final TemplateEngine ENGINE =
            TemplateEngine.createPrecompiled(null, ContentType.Html, null, "olio.templates");

    private Views() {}

    /**
     * A template with its parameters, written when the page around it is.
     *
     * @param parameters names and values in turn
     */
    public static Content of(String template, Object... parameters) {
        Map<String, Object> named = new HashMap<>();
        for (int at = 0; at < parameters.length; at += 2) {
            named.put((String) parameters[at], parameters[at + 1]);
        }
        return output -> ENGINE.render(template + ".jte", named, output);
    }

    /** A part of a page that was written before. */
    public static Content written(byte[] bytes) {
        return new Content() {
            @Override
            public void writeTo(TemplateOutput output) {
                output.writeBinaryContent(bytes);
            }
        };
    }

    public static byte[] bytes(Content content) {
        EscapedOutput output = new EscapedOutput();
        content.writeTo(output);
        return output.toByteArray();
    }

    /** A section of a page alone, for a script; a part's last newline is that of the page around it. */
    public static byte[] section(Content part) {
        EscapedOutput output = new EscapedOutput();
        part.writeTo(output);
        output.writeContent("\n");
        return output.toByteArray();
    }
}
