/* A JSON text of SIZE records, parsed into a tree by recursive descent and written again; the digest is of the tree's
 * sums and of the written text.
 */
#include "kernel.h"

enum kind { NOTHING, TRUE, FALSE, NUMBER, TEXT, LIST, OBJECT };

struct value {
    enum kind kind;
    double number;
    const char *text; /* of a text, within the source */
    size_t length;
    const char *name; /* of an object's member */
    size_t name_length;
    struct value *child, *next;
};

struct parser {
    const char *at, *end;
    struct value *values;
    size_t used, room;
};

struct writer {
    char *bytes;
    size_t length, room;
};

static void put(struct writer *w, const char *bytes, size_t length) {
    if (w->room - w->length < length) {
        w->room = 2 * w->room + length;
        w->bytes = realloc(w->bytes, w->room);
        if (!w->bytes) {
            fprintf(stderr, "no memory for %zu bytes\n", w->room);
            exit(2);
        }
    }
    memcpy(w->bytes + w->length, bytes, length);
    w->length += length;
}

static void put_text(struct writer *w, const char *text) {
    put(w, text, strlen(text));
}

static void put_number(struct writer *w, uint64_t number) {
    char digits[20];
    int at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    put(w, digits + at, sizeof digits - (size_t)at);
}

static void make_source(struct kernel *k, struct writer *w) {
    put_text(w, "[");
    for (size_t i = 0; i < k->size; i++) {
        uint64_t drawn = kernel_random(k);
        put_text(w, i ? ", {\"id\": " : "{\"id\": ");
        put_number(w, drawn >> 40);
        put_text(w, ", \"name\": \"user ");
        put_number(w, drawn % 1000);
        put_text(w, drawn & 1024 ? "\", \"on\": true, \"tags\": [" : "\", \"on\": false, \"tags\": [");
        for (uint64_t tags = drawn >> 12 & 3; tags; tags--) {
            put_number(w, drawn >> (40 + tags));
            put_text(w, tags > 1 ? ".5, " : ".5");
        }
        put_text(w, drawn & 2048 ? "], \"place\": null}" : "], \"place\": {\"x\": 12, \"y\": 7.25}}");
    }
    put_text(w, "]");
}

static void blanks(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

static int next_is(struct parser *p, char wanted) {
    blanks(p);
    if (p->at == p->end || *p->at != wanted)
        return 0;
    p->at++;
    return 1;
}

static int parse_text(struct parser *p, const char **text, size_t *length) {
    if (!next_is(p, '"'))
        return 0;
    *text = p->at;
    while (p->at < p->end && *p->at != '"')
        p->at++;
    *length = (size_t)(p->at - *text);
    return next_is(p, '"');
}

static int parse_number(struct parser *p, double *number) {
    double value = 0, scale = 1;
    int digits = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++, digits++)
        value = value * 10 + (*p->at - '0');
    if (p->at < p->end && *p->at == '.')
        for (p->at++; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
            value += (*p->at - '0') * (scale /= 10);
    *number = value;
    return digits > 0;
}

static int parse_word(struct parser *p, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return 0;
    p->at += length;
    return 1;
}

static struct value *parse(struct parser *p, int depth);

static int parse_members(struct parser *p, struct value *whole, char end, int depth) {
    struct value **last = &whole->child;
    if (next_is(p, end))
        return 1;
    do {
        const char *name = NULL;
        size_t length = 0;
        if (end == '}' && (!parse_text(p, &name, &length) || !next_is(p, ':')))
            return 0;
        struct value *member = parse(p, depth + 1);
        if (!member)
            return 0;
        member->name = name;
        member->name_length = length;
        *last = member;
        last = &member->next;
    } while (next_is(p, ','));
    return next_is(p, end);
}

static struct value *parse(struct parser *p, int depth) {
    blanks(p);
    if (p->at == p->end || p->used == p->room || depth > 64)
        return NULL;
    struct value *value = &p->values[p->used++];
    int good;
    switch (*p->at) {
    case '{':
    case '[':
        value->kind = *p->at == '{' ? OBJECT : LIST;
        good = parse_members(p, value, *p->at++ == '{' ? '}' : ']', depth);
        break;
    case '"':
        value->kind = TEXT;
        good = parse_text(p, &value->text, &value->length);
        break;
    case 't':
        value->kind = TRUE;
        good = parse_word(p, "true");
        break;
    case 'f':
        value->kind = FALSE;
        good = parse_word(p, "false");
        break;
    case 'n':
        value->kind = NOTHING;
        good = parse_word(p, "null");
        break;
    default:
        value->kind = NUMBER;
        good = parse_number(p, &value->number);
    }
    return good ? value : NULL;
}

static void write_value(struct writer *w, const struct value *value) {
    if (value->name) {
        put(w, value->name, value->name_length);
        put_text(w, "=");
    }
    switch (value->kind) {
    case NOTHING: put_text(w, "-"); break;
    case TRUE: put_text(w, "yes"); break;
    case FALSE: put_text(w, "no"); break;
    case NUMBER: put_number(w, (uint64_t)(value->number * 100)); break;
    case TEXT: put(w, value->text, value->length); break;
    case LIST:
    case OBJECT:
        put_text(w, "(");
        for (const struct value *each = value->child; each; each = each->next) {
            write_value(w, each);
            put_text(w, each->next ? "," : "");
        }
        put_text(w, ")");
    }
}

int main(int argc, char **argv) {
    struct kernel k = kernel_start(argc, argv, 120, 1u << 22);
    struct writer source = {0}, written = {0};
    make_source(&k, &source);
    struct parser p = {source.bytes, source.bytes + source.length, NULL, 0, k.size * 12 + 1};
    p.values = kernel_memory(p.room * sizeof *p.values);
    struct value *tree = parse(&p, 0);
    kernel_digest(&k, tree && p.at == p.end);
    kernel_digest(&k, p.used);
    if (tree)
        write_value(&written, tree);
    kernel_digest_bytes(&k, written.bytes, written.length);
    free(source.bytes);
    free(written.bytes);
    free(p.values);
    return kernel_end(&k, "json");
}
