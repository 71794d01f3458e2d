/* A text of SIZE bytes, compressed as LZ77 does (a hash of the last places, matches of 4 to 66 bytes), unpacked
 * again and compared; the digest is of the packed bytes and of their CRC-32.
 */
#include "kernel.h"

enum { HASH_BITS = 12, SHORTEST = 4, LONGEST = SHORTEST + 62, FARTHEST = 1 << 15 };

static uint32_t crc_table[256];

static void make_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        crc_table[i] = value;
    }
}

static uint32_t crc32(const unsigned char *bytes, size_t length) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++)
        crc = crc >> 8 ^ crc_table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

static void make_text(struct kernel *k, unsigned char *text) {
    static const char *const words[] = {"the ", "load ", "stone ", "server ", "request ", "of ", "and ", "a ",
                                        "fault ", "register ", "is ", "redundant ", "flow ", "to ", "node ", ".\n"};
    size_t at = 0;
    while (at < k->size) {
        uint64_t drawn = kernel_random(k);
        const char *word = words[drawn % 16];
        for (; *word && at < k->size; word++)
            text[at++] = (unsigned char)*word;
        if (drawn >> 60 == 0 && at < k->size)
            text[at++] = (unsigned char)('0' + (drawn >> 8) % 10);
    }
}

static uint32_t hash_at(const unsigned char *bytes) {
    uint32_t four;
    memcpy(&four, bytes, sizeof four);
    return four * 2654435761u >> (32 - HASH_BITS);
}

/* A literal is its byte, below 0x80 as all of our texts are. A match is 0x80 + its length - SHORTEST, then two bytes of
 * distance. Returns the packed length. */
static size_t pack(const unsigned char *text, size_t length, unsigned char *packed) {
    size_t *last = kernel_memory(sizeof *last << HASH_BITS), out = 0, at = 0;
    while (at < length) {
        size_t match = 0, distance = 0;
        if (length - at >= SHORTEST) {
            size_t *seen = &last[hash_at(text + at)], from = *seen;
            *seen = at + 1;
            if (from && at - (from - 1) < FARTHEST) {
                size_t most = length - at < LONGEST ? length - at : LONGEST;
                distance = at - (from - 1);
                while (match < most && text[at + match] == text[from - 1 + match])
                    match++;
            }
        }
        if (match < SHORTEST) {
            packed[out++] = text[at++];
            continue;
        }
        packed[out++] = (unsigned char)(0x80 + match - SHORTEST);
        packed[out++] = (unsigned char)distance;
        packed[out++] = (unsigned char)(distance >> 8);
        at += match;
    }
    free(last);
    return out;
}

static size_t unpack(const unsigned char *packed, size_t length, unsigned char *text, size_t room) {
    size_t out = 0, at = 0;
    while (at < length) {
        unsigned char first = packed[at++];
        if (first < 0x80) {
            if (out < room)
                text[out++] = first;
            continue;
        }
        if (length - at < 2)
            break;
        size_t match = (size_t)(first - 0x80) + SHORTEST;
        size_t distance = packed[at] | (size_t)packed[at + 1] << 8;
        at += 2;
        if (!distance || distance > out)
            break;
        for (; match && out < room; match--, out++)
            text[out] = text[out - distance];
    }
    return out;
}

int main(int argc, char **argv) {
    struct kernel k = kernel_start(argc, argv, 16000, 1u << 28);
    unsigned char *text = kernel_memory(k.size + SHORTEST), *packed = kernel_memory(k.size + SHORTEST);
    unsigned char *again = kernel_memory(k.size);
    make_crc_table();
    make_text(&k, text);
    size_t packed_length = pack(text, k.size, packed);
    size_t back = unpack(packed, packed_length, again, k.size);
    kernel_digest(&k, packed_length);
    kernel_digest(&k, crc32(packed, packed_length));
    kernel_digest(&k, crc32(again, back));
    kernel_digest(&k, back == k.size && memcmp(text, again, k.size) == 0);
    free(text);
    free(packed);
    free(again);
    return kernel_end(&k, "lz");
}
