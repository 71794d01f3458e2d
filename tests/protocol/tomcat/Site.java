import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/**
 * Tomcat with the files of a folder's `root`, by HTTP/1.1 and HTTP/2, without and with TLS.
 * Arguments: FOLDER PORT TLS-PORT CERTIFICATE KEY.
 */
public final class Site {
    private Site() {}

    public static void main(String[] given) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(given[0]);
        Context context = tomcat.addContext("", given[0] + "/root");
        Tomcat.addServlet(context, "files", new DefaultServlet()).setLoadOnStartup(1);
        context.addServletMappingDecoded("/", "files");
        context.addMimeMapping("html", "text/html");
        context.addMimeMapping("png", "image/png");
        tomcat.setConnector(connector(given[1]));
        tomcat.getService().addConnector(secured(connector(given[2]), given[3], given[4]));
        tomcat.start();
        tomcat.getServer().await();
    }

    private static Connector connector(String port) {
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setPort(Integer.parseInt(port));
        connector.setProperty("address", "127.0.0.1");
        connector.addUpgradeProtocol(new Http2Protocol());
        return connector;
    }

    private static Connector secured(Connector connector, String certificate, String key) {
        SSLHostConfig host = new SSLHostConfig();
        SSLHostConfigCertificate own =
                new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
        own.setCertificateFile(certificate);
        own.setCertificateKeyFile(key);
        host.addCertificate(own);
        connector.addSslHostConfig(host);
        connector.setSecure(true);
        connector.setScheme("https");
        connector.setProperty("SSLEnabled", "true");
        return connector;
    }
}
