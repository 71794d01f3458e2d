/* A key-value store in memory, as memcached's core: a hash table with chains that grows, a list in the order of
 * use that evicts, and SIZE operations on it (half get, three in eight set, one in eight delete).
 */
#include "kernel.h"

enum { KEYS = 4096, MOST_ITEMS = 1500 };

struct item {
    struct item *chained, *newer, *older;
    uint64_t hash;
    unsigned key_length, value_length;
    char bytes[]; /* the key, then the value */
};

struct store {
    struct item **buckets, *newest, *oldest;
    size_t mask, items;
    uint64_t hits, misses, evicted;
};

static uint64_t hash_of(const char *key, unsigned length) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
    return hash;
}

static struct item **found(struct store *s, const char *key, unsigned length, uint64_t hash) {
    struct item **at = &s->buckets[hash & s->mask];
    while (*at && ((*at)->hash != hash || (*at)->key_length != length || memcmp((*at)->bytes, key, length) != 0))
        at = &(*at)->chained;
    return at;
}

static void use_last(struct store *s, struct item *item) {
    item->newer = NULL;
    item->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = item;
    s->newest = item;
}

static void take_out(struct store *s, struct item *item) {
    *(item->newer ? &item->newer->older : &s->newest) = item->older;
    *(item->older ? &item->older->newer : &s->oldest) = item->newer;
}

static void drop(struct store *s, struct item **at) {
    struct item *item = *at;
    *at = item->chained;
    take_out(s, item);
    s->items--;
    free(item);
}

static void grow(struct store *s) {
    size_t mask = s->mask * 2 + 1;
    struct item **buckets = kernel_memory((mask + 1) * sizeof *buckets);
    for (size_t i = 0; i <= s->mask; i++)
        for (struct item *item = s->buckets[i], *next; item; item = next) {
            next = item->chained;
            item->chained = buckets[item->hash & mask];
            buckets[item->hash & mask] = item;
        }
    free(s->buckets);
    s->buckets = buckets;
    s->mask = mask;
}

static void set(struct store *s, const char *key, unsigned length, const char *value, unsigned value_length) {
    uint64_t hash = hash_of(key, length);
    struct item **at = found(s, key, length, hash);
    if (*at)
        drop(s, at);
    if (s->items == MOST_ITEMS) {
        struct item *last = s->oldest;
        drop(s, found(s, last->bytes, last->key_length, last->hash));
        s->evicted++;
    }
    if (s->items > s->mask)
        grow(s);
    struct item *item = kernel_memory(sizeof *item + length + value_length);
    item->hash = hash;
    item->key_length = length;
    item->value_length = value_length;
    memcpy(item->bytes, key, length);
    memcpy(item->bytes + length, value, value_length);
    item->chained = s->buckets[hash & s->mask];
    s->buckets[hash & s->mask] = item;
    use_last(s, item);
    s->items++;
}

static void get(struct kernel *k, struct store *s, const char *key, unsigned length) {
    struct item *item = *found(s, key, length, hash_of(key, length));
    if (!item) {
        s->misses++;
        return;
    }
    s->hits++;
    take_out(s, item);
    use_last(s, item);
    kernel_digest_bytes(k, item->bytes + length, item->value_length);
}

static unsigned name_of(char *key, uint64_t number) {
    static const char letters[] = "abcdefghijklmnop";
    unsigned length = 0;
    memcpy(key, "user:", 5);
    for (length = 5; number; number /= 16)
        key[length++] = letters[number % 16];
    return length;
}

int main(int argc, char **argv) {
    struct kernel k = kernel_start(argc, argv, 3000, 1u << 30);
    struct store s = {0};
    s.mask = 15;
    s.buckets = kernel_memory((s.mask + 1) * sizeof *s.buckets);
    for (size_t i = 0; i < k.size; i++) {
        uint64_t drawn = kernel_random(&k), what = drawn >> 61;
        /* The smaller of two: some keys are asked for more often than others. */
        uint64_t one = drawn % KEYS, other = drawn / KEYS % KEYS;
        char key[32], value[64];
        unsigned length = name_of(key, one < other ? one : other);
        if (what < 4) {
            get(&k, &s, key, length);
        } else if (what < 7) {
            unsigned value_length = 8 + (unsigned)(drawn >> 32) % 56;
            for (unsigned j = 0; j < value_length; j++)
                value[j] = (char)('A' + (drawn + j * i) % 26);
            set(&s, key, length, value, value_length);
        } else {
            struct item **at = found(&s, key, length, hash_of(key, length));
            if (*at)
                drop(&s, at);
        }
    }
    kernel_digest(&k, s.hits);
    kernel_digest(&k, s.misses);
    kernel_digest(&k, s.evicted);
    for (struct item *item = s.oldest; item; item = item->newer)
        kernel_digest_bytes(&k, item->bytes, item->key_length + item->value_length);
    while (s.oldest)
        drop(&s, found(&s, s.oldest->bytes, s.oldest->key_length, s.oldest->hash));
    free(s.buckets);
    return kernel_end(&k, "kv");
}
