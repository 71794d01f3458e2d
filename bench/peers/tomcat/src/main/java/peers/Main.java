package peers;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.StandardRoot;

/** Tomcat alone: {@code Main PORT SITE DATABASE THREADS}; 0 threads: virtual ones. */
public final class Main {
  private Main() {}

  public static void main(String[] words) throws Exception {
    int port = Integer.parseInt(words[0]);
    int threads = Integer.parseInt(words[3]);
    Path work = Files.createTempDirectory("tomcat");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(work.toString());
    tomcat.setConnector(connector(port, threads));
    Context context = tomcat.addContext("", Path.of(words[1]).toAbsolutePath().toString());
    Wrapper files = Tomcat.addServlet(context, "files", new DefaultServlet());
    // Files stay in its cache as long as the run lasts.
    StandardRoot resources = new StandardRoot(context);
    resources.setCacheTtl(600_000);
    context.setResources(resources);
    files.setLoadOnStartup(1);
    context.addServletMappingDecoded("/", "files");
    if (!words[2].isEmpty()) {
      // As many connections to the database as threads can use at a time on one core, tried: 2 to 64.
      Tomcat.addServlet(context, "item", new ItemServlet(words[2], threads == 0 ? 4 : threads));
      context.addServletMappingDecoded("/item", "item");
    }
    context.addMimeMapping("html", "text/html");
    context.addMimeMapping("bin", "application/octet-stream");
    tomcat.start();
    tomcat.getServer().await();
  }

  private static Connector connector(int port, int threads) {
    Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
    connector.setPort(port);
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("acceptCount", "4096");
    connector.setProperty("maxConnections", "25000");
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "300000");
    connector.setProperty("tcpNoDelay", "true");
    if (threads == 0) {
      connector.setProperty("useVirtualThreads", "true");
    } else {
      connector.setProperty("maxThreads", Integer.toString(threads));
      connector.setProperty("minSpareThreads", Integer.toString(threads));
    }
    return connector;
  }
}
