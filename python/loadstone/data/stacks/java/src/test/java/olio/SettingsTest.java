package olio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import olio.cache.CacheLevel;
import olio.db.DatabaseUrl;
import olio.db.Dialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    private static Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("OLIO_DATABASE", "postgres://olio:p%40ss%2Fword@db:5433/olio");
        environment.put("OLIO_FILES", "/tmp");
        environment.put("OLIO_STATE", "/tmp");
        return environment;
    }

    @Test
    void whatIsNotSaidHasItsDefault() {
        Settings settings = Settings.read(environment());
        assertEquals(8080, settings.port());
        assertEquals(8, settings.workers());
        assertTrue(settings.warmUp().isZero());
        assertEquals(CacheLevel.NONE, settings.cache());
        assertEquals(Dialect.POSTGRES, settings.database().dialect());
        assertEquals("p@ss/word", settings.database().password());
        assertTrue(settings.database().jdbcUrl().startsWith("jdbc:postgresql://db:5433/olio?"));
    }

    @Test
    void copiesAreUrlsLikeTheDatabases() {
        Map<String, String> environment = environment();
        environment.put("OLIO_READ_DATABASES", "postgres://o:p@a/olio,postgres://o:p@b:5433/olio");
        List<DatabaseUrl> copies = Settings.read(environment).readDatabases();
        assertEquals(2, copies.size());
        assertTrue(copies.get(1).jdbcUrl().startsWith("jdbc:postgresql://b:5433/olio?"));
        assertTrue(Settings.read(environment()).readDatabases().isEmpty());
    }

    @Test
    void storesHaveTheirPlaces() {
        Map<String, String> environment = environment();
        environment.put("OLIO_CACHE_STORE", "memcached://cache:11211");
        assertEquals(11211, Settings.read(environment).memcached().getPort());
    }

    @ParameterizedTest
    @CsvSource({
        "OLIO_DATABASE, oracle://a:b@c/d",
        "OLIO_DATABASE, postgres://db/olio",
        "OLIO_DATABASE, sqlite:///no/such/file",
        "OLIO_READ_DATABASES, mysql://o:p@copy/olio",
        "OLIO_READ_DATABASES, nothing",
        "OLIO_FILES, /no/such/folder",
        "OLIO_PORT, 65536",
        "OLIO_WARM_UP_S, 101",
        "OLIO_WORKERS, 0",
        "OLIO_WORKERS, many",
        "OLIO_CACHE, everything",
        "OLIO_CACHE_STORE, redis",
        "OLIO_CACHE_STORE, memcached://host",
        "OLIO_PUBLIC_URL, olio.example",
        "OLIO_PUBLIC_URL, https://olio.example/path",
    })
    void whatIsWrongIsNamed(String name, String value) {
        Map<String, String> environment = environment();
        environment.put(name, value);
        var refused = assertThrows(IllegalArgumentException.class, () -> Settings.read(environment));
        assertTrue(refused.getMessage().startsWith(name + ": "), refused.getMessage());
    }

    @Test
    void whatHasNoDefaultMustBeGiven() {
        Map<String, String> environment = environment();
        environment.remove("OLIO_STATE");
        var refused = assertThrows(IllegalArgumentException.class, () -> Settings.read(environment));
        assertEquals("OLIO_STATE must be given", refused.getMessage());
    }
}
