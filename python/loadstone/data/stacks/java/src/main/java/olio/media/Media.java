package olio.media;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import olio.data.Meta;
import olio.data.Uploads;
import olio.db.Database;
import olio.db.Tx;
import olio.web.Params;

/** Pictures and documents: uploads, and for everything that was loaded one master a class. */
public final class Media {
    private final Map<MediaClass, ServedFile> masters = new EnumMap<>(MediaClass.class);
    private final UploadIndex uploads;
    private final Meta meta;

    public Media(Path folder, Database database, Meta meta) throws IOException, SQLException {
        for (MediaClass of : MediaClass.values()) {
            String type = of == MediaClass.EVENT_DOCUMENT ? "application/pdf" : "image/jpeg";
            masters.put(of, ServedFile.read(folder.resolve(of.prefix + of.suffix), type));
        }
        this.uploads = new UploadIndex(database);
        this.meta = meta;
    }

    /** The file under a name; null when there is none. */
    public ServedFile get(String name) throws SQLException {
        MediaName parsed = MediaName.parse(name);
        if (parsed == null) {
            return null;
        }
        boolean isLoaded = isLoaded(parsed);
        ServedFile upload = uploads.find(name, isLoaded);
        if (upload == null && parsed.of().full() != null) {
            upload = uploads.find(new MediaName(parsed.of().full(), parsed.id()).text(), isLoaded);
        }
        if (upload != null) {
            return upload;
        }
        // Lists show a thumbnail of everything, also of what came without a picture.
        return isLoaded || parsed.of().full() != null ? masters.get(parsed.of()) : null;
    }

    private boolean isLoaded(MediaName name) {
        long loaded = name.of().isOfPerson() ? meta.accounts() : meta.events();
        return Long.compareUnsigned(name.id(), loaded) <= 0;
    }

    /** Stores what came with an event's form; see {@link #keep}. */
    public void keepOfEvent(Tx tx, Params params, long id) throws SQLException {
        if (params.file("event_image") != null) {
            keep(tx, params, "event_image", MediaClass.EVENT_IMAGE, id);
            keep(tx, params, "event_thumbnail", MediaClass.EVENT_THUMBNAIL, id);
        }
        if (params.file("event_document") != null) {
            keep(tx, params, "event_document", MediaClass.EVENT_DOCUMENT, id);
        }
        tx.afterCommit(uploads::doubt);
    }

    public void keepOfPerson(Tx tx, Params params, long id) throws SQLException {
        if (params.file("user_image") != null) {
            keep(tx, params, "user_image", MediaClass.PERSON_IMAGE, id);
            keep(tx, params, "user_thumbnail", MediaClass.PERSON_THUMBNAIL, id);
        }
        tx.afterCommit(uploads::doubt);
    }

    /** A thumbnail goes with its picture: without one, that of the picture before is forgotten. */
    private static void keep(Tx tx, Params params, String field, MediaClass of, long id) throws SQLException {
        String name = new MediaName(of, id).text();
        byte[] bytes = params.file(field);
        if (bytes == null) {
            Uploads.remove(tx, name);
        } else {
            Uploads.put(tx, name, bytes);
        }
    }

    public void removeOfEvent(Tx tx, long id) throws SQLException {
        remove(tx, id, MediaClass.EVENT_IMAGE, MediaClass.EVENT_THUMBNAIL, MediaClass.EVENT_DOCUMENT);
    }

    public void removeOfPerson(Tx tx, long id) throws SQLException {
        remove(tx, id, MediaClass.PERSON_IMAGE, MediaClass.PERSON_THUMBNAIL);
    }

    private void remove(Tx tx, long id, MediaClass... classes) throws SQLException {
        for (MediaClass of : classes) {
            Uploads.remove(tx, new MediaName(of, id).text());
        }
        tx.afterCommit(uploads::doubt);
    }
}
