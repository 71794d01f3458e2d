package olio.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import olio.model.EventItem;
import olio.model.Listing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoresTest {
    private static final Listing<EventItem> LIST = new Listing<>(new ArrayList<>(List.of(new EventItem(
            1, "é", "", LocalDateTime.of(2008, 11, 7, 19, 30), LocalDateTime.of(2008, 10, 22, 12, 0), "x", 2, "y"))), 1, true);

    @Test
    void filesKeepWhatTheyWereGivenUntilItEnds(@TempDir Path folder) throws IOException {
        FileStore store = new FileStore(folder);
        store.put("a/../b", LIST, Duration.ofMinutes(1));
        assertEquals(LIST, store.get("a/../b"));
        store.put("bytes", new byte[] {1, 2}, Duration.ofMinutes(1));
        assertArrayEquals(new byte[] {1, 2}, (byte[]) store.get("bytes"));
        store.put("a/../b", LIST, Duration.ZERO);
        assertNull(store.get("a/../b"));
        store.remove("bytes");
        assertNull(store.get("bytes"));
        assertEquals(1, Files.list(folder).count());
    }

    @Test
    void bytesOfOtherClassesAreNothing(@TempDir Path folder) throws IOException {
        FileStore store = new FileStore(folder);
        store.put("foreign", new java.net.URL("http://localhost"), Duration.ofMinutes(1));
        assertNull(store.get("foreign"));
    }

    @Test
    void memoryKeepsWhatItWasGiven() {
        MemoryStore store = new MemoryStore();
        store.put("list", LIST, Duration.ofMinutes(1));
        assertEquals(LIST, store.get("list"));
        store.remove("list");
        assertNull(store.get("list"));
    }

    @Test
    void holesAreFilledWhereverTheyAre() {
        byte[] kept = (Holes.HOLE + "a" + Holes.HOLE + Holes.HOLE + "b").getBytes();
        assertArrayEquals("TaTTb".getBytes(), Holes.fill(kept, "T"));
    }
}
