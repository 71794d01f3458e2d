package olio.web;

/** Characters as every stack counts them: code points of Unicode. */
public final class Text {
    private Text() {}

    public static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** White space, no-break spaces included. */
    public static boolean isBlank(int character) {
        return Character.isWhitespace(character) || Character.isSpaceChar(character);
    }

    /** Letters and digits of any script. */
    public static boolean isLetter(int character) {
        return Character.isAlphabetic(character) || switch (Character.getType(character)) {
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER -> true;
            default -> false;
        };
    }

    /** The text without white space around it. */
    public static String trim(String text) {
        int start = 0;
        int end = text.length();
        // No white space lies beyond the basic plane.
        while (start < end && isBlank(text.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    /**
     * Drops what neither HTML nor XML can show: control characters but tab and newline, and non-characters.
     */
    public static String clean(String text) {
        if (text.chars().noneMatch(Text::isUnfit)) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        text.chars().filter(c -> !isUnfit(c)).forEach(c -> clean.append((char) c));
        return clean.toString();
    }

    private static boolean isUnfit(int c) {
        return Character.isISOControl(c) && c != '\t' && c != '\n' || c == 0xfffe || c == 0xffff;
    }
}
