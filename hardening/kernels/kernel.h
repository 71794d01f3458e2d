/* What every kernel shares: arguments, seeded numbers, a digest.
 *
 * A kernel is a program `NAME [SIZE [SEED]]`. It computes from nothing but its two numbers and prints one line,
 * `NAME SIZE SEED DIGEST`. So a wrong digest means that a fault has corrupted the result. All code is in the one
 * file, so that a hardened build protects everything but the C library.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
    size_t size;
    uint64_t seed;
    uint64_t random;
    uint64_t digest;
};

/* SplitMix64. */
static inline uint64_t kernel_random(struct kernel *k) {
    uint64_t z = (k->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* FNV-1a over the eight bytes of `value`. */
static inline void kernel_digest(struct kernel *k, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        k->digest = (k->digest ^ (value & 0xff)) * 0x100000001b3u;
        value >>= 8;
    }
}

static inline void kernel_digest_bytes(struct kernel *k, const void *bytes, size_t length) {
    const unsigned char *each = bytes;
    for (size_t i = 0; i < length; i++)
        k->digest = (k->digest ^ each[i]) * 0x100000001b3u;
}

static inline void *kernel_memory(size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return memory;
}

static inline unsigned long long kernel_number(const char *text, unsigned long long most) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || value > most) {
        fprintf(stderr, "`%s` is not a number up to %llu\nusage: [SIZE [SEED]]\n", text, most);
        exit(2);
    }
    return value;
}

/* The arguments, or the kernel's own size and seed 1. */
static inline struct kernel kernel_start(int argc, char **argv, size_t size, size_t largest) {
    struct kernel k = {size, 1, 0, 0xcbf29ce484222325u};
    if (argc > 1)
        k.size = kernel_number(argv[1], largest);
    if (argc > 2)
        k.seed = kernel_number(argv[2], UINT64_MAX);
    k.random = k.seed;
    return k;
}

static inline int kernel_end(const struct kernel *k, const char *name) {
    printf("%s %zu %llu %016llx\n", name, k->size, (unsigned long long)k->seed, (unsigned long long)k->digest);
    return fflush(stdout) ? 1 : 0;
}

#endif
