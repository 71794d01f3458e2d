import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/**
 * Tomcat with one servlet that asks another server for each request and waits for the answer.
 * Arguments: PORT DATABASE-URL, then properties of the connector as NAME=VALUE.
 */
public final class Proxy extends HttpServlet {
    private static final int TIMEOUT_MS = 60_000;
    private final String database;

    private Proxy(String database) {
        this.database = database;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String query = request.getQueryString() == null ? "" : "?" + request.getQueryString();
        // Connections to the database are kept by the runtime, as many as there are threads.
        var asked = (HttpURLConnection) URI.create(database + request.getRequestURI() + query).toURL().openConnection();
        asked.setConnectTimeout(TIMEOUT_MS);
        asked.setReadTimeout(TIMEOUT_MS);
        byte[] body;
        try (InputStream in = asked.getInputStream()) {
            body = in.readAllBytes();
        }
        response.setStatus(asked.getResponseCode());
        response.setContentType(asked.getContentType());
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    public static void main(String[] given) throws Exception {
        System.setProperty("http.maxConnections", "1000");
        Logger.getLogger("").setLevel(Level.WARNING);
        var tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("proxy-").toString());
        var connector = new Connector("HTTP/1.1");
        connector.setPort(Integer.parseInt(given[0]));
        connector.setProperty("address", "127.0.0.1");
        for (int at = 2; at < given.length; at++) {
            String[] pair = given[at].split("=", 2);
            if (!connector.setProperty(pair[0], pair[1])) {
                throw new IllegalArgumentException("Tomcat has no property " + pair[0]);
            }
        }
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "proxy", new Proxy(given[1]));
        context.addServletMappingDecoded("/*", "proxy");
        tomcat.start();
        tomcat.getServer().await();
    }
}
