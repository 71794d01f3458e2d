package olio.form;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is wrong with a form: a sentence at a field's short name. */
public final class Complaints {
    public static final Complaints NONE = new Complaints();

    private final Map<String, String> sentences = new LinkedHashMap<>();

    public static Complaints of(String name, String sentence) {
        Complaints complaints = new Complaints();
        complaints.add(name, sentence);
        return complaints;
    }

    /** One complaint a field: the first says enough. */
    void add(String name, String sentence) {
        sentences.putIfAbsent(name, sentence);
    }

    public boolean isEmpty() {
        return sentences.isEmpty();
    }

    public boolean has(String name) {
        return sentences.containsKey(name);
    }

    public String sentence(String name) {
        return sentences.get(name);
    }

    /** Value of {@code aria-invalid}; null without a complaint: no attribute. */
    public String flag(String name) {
        return has(name) ? "true" : null;
    }

    /** Value of {@code aria-describedby}; null without a complaint. */
    public String reference(String name) {
        return has(name) ? "w-" + name : null;
    }
}
