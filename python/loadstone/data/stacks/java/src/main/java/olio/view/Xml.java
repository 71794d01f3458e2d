package olio.view;

import static olio.view.EscapedOutput.escape;

import java.nio.charset.StandardCharsets;
import java.util.List;
import olio.model.EventItem;

/** The two answers that are XML; the templates' engine reads HTML only. */
public final class Xml {
    private Xml() {}

    /** The newest events as RSS 2.0, whose links are whole addresses and begin with {@code origin}. */
    public static byte[] feed(String origin, List<EventItem> events) {
        String site = escape(origin);
        StringBuilder feed = new StringBuilder("""
                <?xml version="1.0" encoding="UTF-8"?>
                <rss version="2.0">
                <channel>
                <title>Olio: newest events</title>
                <link>%s/</link>
                <description>The newest events on Olio.</description>
                <language>en</language>
                """.formatted(site));
        for (EventItem event : events) {
            feed.append("""
                    <item>
                    <title>%s</title>
                    <link>%s/events/%d</link>
                    <guid>%s/events/%d</guid>
                    <description>%s: %s</description>
                    <pubDate>%s</pubDate>
                    </item>
                    """.formatted(
                    escape(event.title()), site, event.id(), site, event.id(),
                    Dates.moment(event.when()), escape(event.summary()), Dates.rfc822(event.created())));
        }
        return feed.append("</channel>\n</rss>\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The geocoder's answer: one place for every address, whose fields are echoed. */
    public static String place(String street, String city, String state, String zip) {
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <ResultSet>
                <Result precision="address">
                <Latitude>%s</Latitude>
                <Longitude>%s</Longitude>
                <Address>%s</Address>
                <City>%s</City>
                <State>%s</State>
                <Zip>%s</Zip>
                </Result>
                </ResultSet>
                """.formatted(
                Geocoder.LATITUDE, Geocoder.LONGITUDE, escape(street), escape(city), escape(state), escape(zip));
    }
}
