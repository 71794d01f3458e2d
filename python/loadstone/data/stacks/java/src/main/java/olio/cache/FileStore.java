package olio.cache;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Files of a folder: when a value ends, in milliseconds, and the value. They are replaced as a whole. */
public final class FileStore implements CacheStore {
    private static final Logger LOG = Logger.getLogger(FileStore.class.getName());

    private final Path folder;

    public FileStore(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    @Override
    public Object get(String key) {
        try {
            ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path(key)));
            if (file.getLong() <= System.currentTimeMillis()) {
                return null;
            }
            byte[] bytes = new byte[file.remaining()];
            file.get(bytes);
            return Stored.value(bytes);
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException | RuntimeException broken) {
            LOG.log(Level.WARNING, "a kept file cannot be read", broken);
            return null;
        }
    }

    @Override
    public void put(String key, Serializable value, Duration life) {
        Path partial = null;
        try {
            byte[] bytes = Stored.bytes(value);
            ByteBuffer file = ByteBuffer.allocate(Long.BYTES + bytes.length);
            file.putLong(System.currentTimeMillis() + life.toMillis()).put(bytes);
            partial = Files.createTempFile(folder, "new", "");
            Files.write(partial, file.array());
            Files.move(partial, path(key), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "nothing can be kept in files", failure);
            delete(partial);
        }
    }

    @Override
    public void remove(String key) {
        delete(path(key));
    }

    private Path path(String key) {
        return folder.resolve(Stored.key(key));
    }

    private static void delete(Path path) {
        try {
            if (path != null) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "a kept file cannot be removed", failure);
        }
    }
}
