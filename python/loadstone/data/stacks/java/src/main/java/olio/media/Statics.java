package olio.media;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The static files, in memory. */
public final class Statics {
    private final Map<String, ServedFile> files = new HashMap<>();

    public Statics(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> paths = entries.filter(Files::isRegularFile).toList();
            for (Path path : paths) {
                String name = path.getFileName().toString();
                files.put(name, ServedFile.read(path, contentType(name)));
            }
        }
    }

    private static String contentType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "png" -> "image/png";
            default -> "application/octet-stream";
        };
    }

    /** Null when there is none. */
    public ServedFile get(String name) {
        return files.get(name);
    }
}
