package olio.media;

/** What an upload should be. */
public enum UploadKind {
    IMAGE(4096),
    THUMBNAIL(128),
    DOCUMENT(4096);

    private final int maxKib;

    UploadKind(int maxKib) {
        this.maxKib = maxKib;
    }

    /** What is wrong with a file, in a sentence for its form; null when nothing is. */
    public String complaint(byte[] bytes) {
        if (bytes.length > maxKib * 1024) {
            return "This file is larger than " + maxKib + " KiB.";
        }
        String type = MediaType.of(bytes);
        if (this == DOCUMENT) {
            return "application/pdf".equals(type) ? null : "This is no PDF document.";
        }
        return type.startsWith("image/") ? null : "This is no JPEG, PNG or GIF picture.";
    }
}
