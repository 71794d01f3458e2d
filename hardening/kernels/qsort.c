/* Quicksort of SIZE random numbers, with a stack of its own and insertion sort for short parts. */
#include "kernel.h"

static void sort_short(uint32_t *values, size_t low, size_t high) {
    for (size_t i = low + 1; i < high; i++) {
        uint32_t value = values[i];
        size_t j = i;
        for (; j > low && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static size_t partition(uint32_t *values, size_t low, size_t high) {
    size_t middle = low + (high - low) / 2, last = high - 1;
    if (values[middle] < values[low])
        swap(&values[middle], &values[low]);
    if (values[last] < values[low])
        swap(&values[last], &values[low]);
    if (values[last] < values[middle])
        swap(&values[last], &values[middle]);
    uint32_t pivot = values[middle];
    size_t i = low, j = last;
    for (;;) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i >= j)
            return j + 1;
        swap(&values[i++], &values[j--]);
    }
}

static void sort(uint32_t *values, size_t count) {
    struct { size_t low, high; } waiting[64];
    int depth = 0;
    waiting[depth].low = 0;
    waiting[depth++].high = count;
    while (depth > 0) {
        size_t low = waiting[--depth].low, high = waiting[depth].high;
        while (high - low > 12) {
            size_t cut = partition(values, low, high);
            /* The longer part waits, so that the stack stays below the logarithm of `count`. */
            int longer_first = cut - low > high - cut;
            waiting[depth].low = longer_first ? low : cut;
            waiting[depth++].high = longer_first ? cut : high;
            if (longer_first)
                low = cut;
            else
                high = cut;
        }
        sort_short(values, low, high);
    }
}

int main(int argc, char **argv) {
    struct kernel k = kernel_start(argc, argv, 4000, 1u << 28);
    uint32_t *values = kernel_memory(k.size * sizeof *values);
    for (size_t i = 0; i < k.size; i++)
        values[i] = (uint32_t)kernel_random(&k);
    sort(values, k.size);
    for (size_t i = 0; i < k.size; i++)
        kernel_digest(&k, values[i]);
    free(values);
    return kernel_end(&k, "qsort");
}
