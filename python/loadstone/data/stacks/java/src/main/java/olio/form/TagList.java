package olio.form;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import olio.web.Text;

/** Tags between blanks or commas. */
public final class TagList {
    /** Most tags of an event. */
    public static final int MOST = 20;
    /** Most characters of a tag. */
    public static final int LONGEST = 30;

    private TagList() {}

    /** Distinct, in the order of their bytes; null when one of them is no tag or there are too many. */
    public static List<String> read(String list) {
        StringBuilder separated = new StringBuilder();
        list.codePoints().forEach(c -> separated.appendCodePoint(c == ',' || Text.isBlank(c) ? ' ' : c));
        List<String> tags = Stream.of(separated.toString().split(" "))
                .filter(tag -> !tag.isEmpty())
                .distinct()
                .sorted((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)))
                .toList();
        return tags.size() <= MOST && tags.stream().allMatch(TagList::isTag) ? tags : null;
    }

    private static boolean isTag(String tag) {
        return Text.length(tag) <= LONGEST && tag.codePoints().allMatch(c -> Text.isLetter(c) || c == '-' || c == '_');
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
