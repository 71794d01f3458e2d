package olio;

import jakarta.servlet.MultipartConfigElement;
import java.util.logging.Level;
import java.util.logging.Logger;
import olio.web.OlioServlet;
import olio.web.Params;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;

/** The container: Tomcat within this process, with its NIO connector. */
final class Server {
    private static final Logger LOG = Logger.getLogger(Server.class.getName());

    private final Tomcat tomcat = new Tomcat();
    private final Settings settings;
    private final Site site;

    Server(Settings settings, Site site) {
        this.settings = settings;
        this.site = site;
        tomcat.setBaseDir(settings.state().toAbsolutePath().toString());
        Context context = tomcat.addContext("", settings.state().toAbsolutePath().toString());
        OlioServlet olio = new OlioServlet(site);
        Wrapper servlet = Tomcat.addServlet(context, "olio", olio);
        servlet.setMultipartConfigElement(
                new MultipartConfigElement("", Params.MAX_FORM_BYTES, Params.MAX_FORM_BYTES, Params.MAX_FORM_BYTES));
        context.addServletMappingDecoded("/", "olio");
        StandardHost host = (StandardHost) tomcat.getHost();
        host.setErrorReportValveClass(null);
        host.getPipeline().addValve(new RefusedPaths(olio));
    }

    private Connector connector(String address, int port) {
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setPort(port);
        connector.setProperty("address", address);
        connector.setProperty("maxThreads", Integer.toString(settings.workers()));
        connector.setProperty("minSpareThreads", Integer.toString(settings.workers()));
        connector.setProperty("acceptCount", "1024");
        connector.setProperty("maxConnections", "10000");
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("relaxedQueryChars", "\"<>[\\]^`{|}");
        connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.setMaxPostSize(Params.MAX_FORM_BYTES);
        connector.setMaxPartCount(Params.MAX_FIELDS);
        return connector;
    }

    /** Serves until {@link #stop}. */
    void run() throws LifecycleException {
        Connector connector = connector(settings.address(), settings.port());
        if (settings.warmUp().isZero()) {
            tomcat.setConnector(connector);
            tomcat.start();
        } else {
            warmUp();
            tomcat.getService().addConnector(connector);
        }
        if (connector.getLocalPort() < 0) {
            throw new LifecycleException("the connector does not listen");
        }
        tomcat.getServer().await();
    }

    /** Starts with a connector that nobody else knows, and takes it away again. */
    private void warmUp() throws LifecycleException {
        Connector own = connector("127.0.0.1", 0);
        tomcat.setConnector(own);
        tomcat.start();
        new WarmUp(own.getLocalPort(), site.meta()).run(settings.warmUp(), settings.workers());
        tomcat.getService().removeConnector(own);
        own.destroy();
    }

    void stop() {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException failure) {
            LOG.log(Level.WARNING, "the server does not stop in order", failure);
        }
        site.close();
    }
}
