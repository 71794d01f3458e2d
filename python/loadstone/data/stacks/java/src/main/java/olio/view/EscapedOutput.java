package olio.view;

import gg.jte.html.HtmlTemplateOutput;
import gg.jte.output.Utf8ByteOutput;

/**
 * A page in UTF-8 in which exactly {@code & < > " '} of values are escaped, wherever they stand. The engine's
 * own
 * output escapes some of them here and others there, and every stack has to write the same bytes.
 */
public final class EscapedOutput implements HtmlTemplateOutput {
    private final Utf8ByteOutput out = new Utf8ByteOutput();

    @Override
    public void setContext(String tagName, String attributeName) {}

    @Override
    public void writeUserContent(String value) {
        int start = 0;
        for (int at = 0; at < value.length(); at++) {
            String escaped = escaped(value.charAt(at));
            if (escaped != null) {
                out.writeContent(value, start, at);
                out.writeContent(escaped);
                start = at + 1;
            }
        }
        out.writeContent(value, start, value.length());
    }

    private static String escaped(char character) {
        return switch (character) {
            case '&' -> "&amp;";
            case '<' -> "&lt;";
            case '>' -> "&gt;";
            case '"' -> "&quot;";
            case '\'' -> "&#39;";
            default -> null;
        };
    }

    /** A value as the templates write it. */
    public static String escape(String value) {
        StringBuilder text = new StringBuilder(value.length() + 16);
        value.chars().forEach(character -> {
            String escaped = escaped((char) character);
            text.append(escaped == null ? String.valueOf((char) character) : escaped);
        });
        return text.toString();
    }

    @Override
    public void writeContent(String value) {
        out.writeContent(value);
    }

    @Override
    public void writeContent(String value, int beginIndex, int endIndex) {
        out.writeContent(value, beginIndex, endIndex);
    }

    @Override
    public void writeBinaryContent(byte[] value) {
        out.writeBinaryContent(value);
    }

    public byte[] toByteArray() {
        return out.toByteArray();
    }
}
