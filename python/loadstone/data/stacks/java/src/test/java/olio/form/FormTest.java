package olio.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import olio.media.UploadKind;
import org.junit.jupiter.api.Test;

class FormTest {
    @Test
    void tagListsAreSortedSets() {
        assertEquals(List.of("B", "a_1", "b"), TagList.read(" b a_1,  B,a_1 "));
        assertEquals(List.of(), TagList.read(""));
        assertNull(TagList.read("ok <script>"));
        assertNull(TagList.read("x".repeat(31)));
        assertNull(TagList.read(IntStream.range(0, 21).mapToObj(n -> "t" + n).collect(Collectors.joining(" "))));
    }

    @Test
    void userNames() {
        assertTrue(NewPerson.isUsername("Zoë.7"));
        for (String name : List.of("", "a b", "<b>", "x".repeat(26))) {
            assertFalse(NewPerson.isUsername(name), name);
        }
    }

    @Test
    void aYearFromElsewhereStandsAlone() {
        assertEquals(
                List.of(1999L, 2008L, 2009L, 2010L, 2011L),
                Choice.years(2008, 1999).stream().map(Choice::value).toList());
        assertEquals(4, Choice.years(2008, 2011).size());
    }

    @Test
    void filesAreKnownByTheirFirstBytes() {
        byte[] gif = new byte[128 * 1024];
        System.arraycopy("GIF89a".getBytes(), 0, gif, 0, 6);
        assertNull(UploadKind.THUMBNAIL.complaint(gif));
        assertEquals("This is no PDF document.", UploadKind.DOCUMENT.complaint(gif));
        assertEquals(
                "This file is larger than 128 KiB.",
                UploadKind.THUMBNAIL.complaint(java.util.Arrays.copyOf(gif, gif.length + 1)));
    }
}
