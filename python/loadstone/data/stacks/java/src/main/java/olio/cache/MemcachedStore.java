package olio.cache;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.exception.MemcachedException;
import net.rubyeye.xmemcached.transcoders.CachedData;
import net.rubyeye.xmemcached.transcoders.CompressionMode;
import net.rubyeye.xmemcached.transcoders.PrimitiveTypeTranscoder;
import net.rubyeye.xmemcached.command.BinaryCommandFactory;

/**
 * A memcached, which several servers may share. While it is gone nothing is kept; it is used again when it is
 * back.
 */
public final class MemcachedStore implements CacheStore {
    private static final Logger LOG = Logger.getLogger(MemcachedStore.class.getName());
    private static final long PATIENCE_MS = 250;

    private final MemcachedClient client;
    /** Tells data sets apart, also one that was loaded anew. */
    private final String prefix;

    public MemcachedStore(InetSocketAddress address, String prefix) throws IOException {
        XMemcachedClientBuilder builder = new XMemcachedClientBuilder(List.of(address));
        builder.setCommandFactory(new BinaryCommandFactory());
        builder.setOpTimeout(PATIENCE_MS);
        builder.setConnectTimeout(2000);
        builder.setHealSessionInterval(500);
        builder.setTranscoder(new Bytes());
        client = builder.build();
        this.prefix = prefix;
    }

    @Override
    public Object get(String key) {
        return attempt(() -> {
            byte[] bytes = client.get(name(key));
            return bytes == null ? null : Stored.value(bytes);
        });
    }

    @Override
    public void put(String key, Serializable value, Duration life) {
        attempt(() -> client.set(name(key), (int) life.toSeconds(), Stored.bytes(value)));
    }

    @Override
    public void remove(String key) {
        attempt(() -> client.delete(name(key)));
    }

    private String name(String key) {
        return prefix + Stored.key(key);
    }

    private interface Work {
        Object get() throws IOException, TimeoutException, InterruptedException, MemcachedException;
    }

    private static Object attempt(Work work) {
        try {
            return work.get();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (IOException | TimeoutException | MemcachedException | RuntimeException failure) {
            LOG.log(Level.FINE, "memcached does not answer", failure);
        }
        return null;
    }

    @Override
    public void close() {
        try {
            client.shutdown();
        } catch (IOException failure) {
            LOG.log(Level.FINE, "memcached", failure);
        }
    }

    /** Values are bytes already, and are sent as they are. */
    private static final class Bytes extends PrimitiveTypeTranscoder<byte[]> {
        @Override
        public byte[] decode(CachedData data) {
            return data.getData();
        }

        @Override
        public CachedData encode(byte[] bytes) {
            return new CachedData(0, bytes);
        }

        @Override
        public void setPrimitiveAsString(boolean asString) {}

        @Override
        public void setCompressionMode(CompressionMode mode) {}
    }
}
