package olio.form;

/** A form's value, or (where there are complaints) what is wrong with it. */
public record Checked<T>(T value, Complaints wrong) {
    public boolean isWrong() {
        return !wrong.isEmpty();
    }
}
