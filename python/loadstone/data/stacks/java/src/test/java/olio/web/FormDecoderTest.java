package olio.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FormDecoderTest {
    @Test
    void nothingIsAnError() {
        Map<String, String> fields = new LinkedHashMap<>();
        FormDecoder.decode("%zz=1&&&=&a&b=c+d%C3%A9%&e=%e", fields::put);
        assertEquals(Map.of("%zz", "1", "", "", "a", "", "b", "c dé%", "e", "%e"), fields);
    }

    @Test
    void charactersAreCountedAndCleaned() {
        assertEquals(2, Text.length("🎷é"));
        assertEquals("ab\tc\n", Text.clean("a\u0001b\tc\r\n\ufffe"));
        assertEquals("a b", Text.trim("\u00a0 a b\n\u3000"));
    }
}
