package olio.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.util.List;
import olio.model.TagCount;
import org.junit.jupiter.api.Test;

class ViewsTest {
    @Test
    void exactlyFiveCharactersAreEscapedWhereverTheyStand() {
        byte[] section = Views.section(Views.of("person/nameCheck", "name", "a&b<c>d\"e'f/`=é🎷", "valid", true, "free", true));
        assertEquals(
                "<p class=\"quiet\" id=\"name-check\" role=\"status\">“a&amp;b&lt;c&gt;d&quot;e&#39;f/`=é🎷” is free.</p>\n",
                new String(section, StandardCharsets.UTF_8));
        byte[] field = Views.bytes(Views.of("form/token", "token", "<'>"));
        assertEquals(
                "<input type=\"hidden\" name=\"authenticity_token\" value=\"&lt;&#39;&gt;\">",
                new String(field, StandardCharsets.UTF_8));
    }

    @Test
    void urlValuesKeepOnlyUnreservedCharacters() {
        assertEquals("a%20b%26c%3D%27%22%3C%C3%A9~%2A", Links.encode("a b&c='\"<é~*"));
    }

    @Test
    void dates() {
        LocalDateTime moment = LocalDateTime.of(2008, 11, 7, 15, 15);
        assertEquals("03:15 PM - Friday 11/07/2008", Dates.moment(moment));
        assertEquals("12:15 AM - Friday 11/07/2008", Dates.moment(moment.withHour(0)));
        assertEquals("Fri, 07 Nov 2008 00:00:00 GMT", Dates.rfc822(moment));
        assertEquals(moment, Dates.ofMinutes(Dates.minutes(moment)));
        for (String none : List.of("2008-02-30", "1900-02-29", "2008-13-01", "2008-1-01", "0000-01-01", "")) {
            assertNull(Dates.parse(none), none);
        }
    }

    @Test
    void weeksBeginWithSunday() {
        List<?> first = Calendar.weeks(YearMonth.of(2008, 11)).get(0);
        assertEquals(6, first.indexOf(java.time.LocalDate.of(2008, 11, 1)));
        assertEquals(6, Calendar.weeks(YearMonth.of(2008, 11)).size());
        assertNull(Calendar.before(YearMonth.of(1, 1)));
        assertNull(Calendar.after(YearMonth.of(9999, 12)));
    }

    @Test
    void tagSizesRunFrom100To250RoundedUp() {
        Cloud cloud = new Cloud(List.of(new TagCount("a", 97), new TagCount("b", 98), new TagCount("c", 120)));
        assertEquals(List.of(100L, 107L, 250L), cloud.tags().stream().map(cloud::percent).toList());
        assertEquals(100, new Cloud(List.of(new TagCount("a", 5))).percent(new TagCount("a", 5)));
    }

    @Test
    void degreesFallOnThePlate() {
        assertEquals(180, MapPlate.plate("0.5", 180, 1));
        assertEquals(1, MapPlate.plate("-179.999999", 180, 1));
        assertEquals(24, MapPlate.plate("66.560556", 90, -1));
        assertEquals(123, MapPlate.plate("-33.0000000000", 90, -1));
        assertEquals(180, MapPlate.plate("9999", 90, 1));
    }
}
