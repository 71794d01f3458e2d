package peers;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The page of an auction's item, as the other servers make it; connections come from a pool. */
final class ItemServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  private final transient BlockingQueue<Items> pool;

  ItemServlet(String database, int connections) throws SQLException {
    pool = new ArrayBlockingQueue<>(connections);
    for (int i = 0; i < connections; i++) {
      pool.add(new Items(database));
    }
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    StringBuilder page = new StringBuilder(4096);
    boolean found;
    try {
      Items items = pool.take();
      try {
        found = items.page(Long.parseLong(request.getParameter("id")), page);
      } finally {
        pool.add(items);
      }
    } catch (SQLException error) {
      throw new IOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return;
    }
    if (!found) {
      response.setStatus(404);
    }
    byte[] bytes = page.toString().getBytes(StandardCharsets.UTF_8);
    response.setContentType("text/html; charset=utf-8");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
