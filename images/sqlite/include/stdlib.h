/* The heap is Rust's global allocator, under names that no C library has: see ../src/heap.rs. */
#include <stddef.h>

#define alloca __builtin_alloca
#define malloc loadstone_malloc
#define realloc loadstone_realloc
#define free loadstone_free

void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
