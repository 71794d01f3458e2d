#include <stddef.h>

#define malloc_usable_size loadstone_usable_size

size_t malloc_usable_size(void *block);
