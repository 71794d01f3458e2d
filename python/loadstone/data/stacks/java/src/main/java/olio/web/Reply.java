package olio.web;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** An answer. Its body is written when it is sent, after the transaction that read what it shows. */
public final class Reply {
    private record Field(String name, String value) {}

    private final List<Field> fields = new ArrayList<>();
    private final List<Cookie> cookies = new ArrayList<>();
    private final String contentType;
    private final Supplier<byte[]> body;
    private int status = HttpServletResponse.SC_OK;

    /** @param contentType null for none, as is the body */
    Reply(String contentType, Supplier<byte[]> body) {
        this.contentType = contentType;
        this.body = body;
        header("X-Content-Type-Options", "nosniff").header("Referrer-Policy", "same-origin");
    }

    public Reply status(int status) {
        this.status = status;
        return this;
    }

    public Reply header(String name, String value) {
        fields.add(new Field(name, value));
        return this;
    }

    Reply cookie(Cookie cookie) {
        cookies.add(cookie);
        return this;
    }

    void send(HttpServletResponse response) throws IOException {
        // First what can fail: then another answer is still possible.
        byte[] bytes = body == null ? new byte[0] : body.get();
        response.setStatus(status);
        fields.forEach(field -> response.addHeader(field.name, field.value));
        cookies.forEach(response::addCookie);
        if (contentType != null) {
            response.setContentType(contentType);
        }
        if (status != HttpServletResponse.SC_NOT_MODIFIED) {
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
    }
}
