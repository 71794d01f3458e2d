// Divisions by constants, of every width, answer as those by variables do, in every variant.
// RUN: %cc --mode ilr -O2 %s -o %t && %t
// RUN: %cc --mode ilr --loads dup -O1 %s -o %t && %t
// RUN: %cc --mode tmr -O2 %s -o %t && %t
#include <stdint.h>
#include <stdio.h>
static int wrong;
static uint64_t state = 1;
static uint64_t next(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
#define ONE(type, by)                                                                                                  \
    do {                                                                                                               \
        volatile type variable = (type)(by);                                                                           \
        for (int i = 0; i < 3000; i++) {                                                                               \
            type drawn = (type)(next() >> (i % 64)), value = i % 3 ? drawn : (type)(i / 3 * (by) - i % 2);             \
            type quotient = value / (type)(by), rest = value % (type)(by);                                             \
            if (quotient != (type)(value / variable) || rest != (type)(value % variable))                              \
                wrong++, printf(#type " %lld by %s\n", (long long)value, #by);                                         \
        }                                                                                                              \
    } while (0)
#define UNSIGNED(by) ONE(uint8_t, by); ONE(uint16_t, by); ONE(uint32_t, by); ONE(uint64_t, by)
#define SIGNED(by) ONE(int8_t, by); ONE(int16_t, by); ONE(int32_t, by); ONE(int64_t, by); ONE(int64_t, -(by))
#define BOTH(by) UNSIGNED(by); SIGNED(by)
int main(void) {
    BOTH(3); BOTH(5); BOTH(6); BOTH(7); BOTH(10); BOTH(11); BOTH(25); BOTH(26); BOTH(28); BOTH(100); BOTH(127);
    ONE(uint8_t, 129); ONE(uint8_t, 255); ONE(uint16_t, 641); ONE(uint32_t, 1000000007u); ONE(int32_t, -1000003);
    ONE(uint64_t, 0x8000000000000001u); ONE(uint64_t, 1000000000000037u); ONE(int64_t, 0x123456789abcdefLL);
    ONE(uint64_t, 1u << 20); ONE(int64_t, -64);
    puts(wrong ? "wrong" : "right");
    return wrong != 0;
}
