/* The first five are what every program without a C library must have for the compiler's sake; the others are in
   ../src/text.rs, under names that no C library has. */
#include <stddef.h>

#define strcmp loadstone_strcmp
#define strncmp loadstone_strncmp
#define strchr loadstone_strchr
#define strrchr loadstone_strrchr
#define strspn loadstone_strspn
#define strcspn loadstone_strcspn

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);

int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strchr(const char *text, int byte);
char *strrchr(const char *text, int byte);
size_t strspn(const char *text, const char *accept);
size_t strcspn(const char *text, const char *reject);
