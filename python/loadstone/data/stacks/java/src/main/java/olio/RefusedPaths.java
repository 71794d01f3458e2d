package olio;

import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;
import olio.web.OlioServlet;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/**
 * Paths that the container itself refuses ({@code /../..}) reach no servlet; they get the site's page as
 * well.
 */
final class RefusedPaths extends ErrorReportValve {
    private static final Logger LOG = Logger.getLogger(RefusedPaths.class.getName());

    private final OlioServlet servlet;

    RefusedPaths(OlioServlet servlet) {
        this.servlet = servlet;
    }

    @Override
    protected void report(Request request, Response response, Throwable fault) {
        if (request.getContext() != null || !response.setErrorReported()) {
            return;
        }
        try {
            servlet.answerNotFound(request, response);
        } catch (IOException gone) {
            LOG.log(Level.FINE, "nobody reads the answer any more", gone);
        }
    }
}
