/* Product of two square matrices of SIZE rows in double precision; the digest takes every bit of the result. */
#include "kernel.h"

static double small(struct kernel *k) {
    return (double)(int64_t)(kernel_random(k) >> 40) / 65536.0 - 128.0;
}

static void multiply(const double *a, const double *b, double *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++) {
            double factor = a[i * n + l];
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += factor * b[l * n + j];
        }
}

int main(int argc, char **argv) {
    struct kernel k = kernel_start(argc, argv, 40, 1u << 14);
    size_t n = k.size, cells = n * n;
    double *a = kernel_memory(cells * sizeof *a), *b = kernel_memory(cells * sizeof *b);
    double *c = kernel_memory(cells * sizeof *c);
    for (size_t i = 0; i < cells; i++) {
        a[i] = small(&k);
        b[i] = small(&k);
    }
    multiply(a, b, c, n);
    for (size_t i = 0; i < cells; i++) {
        uint64_t bits;
        memcpy(&bits, &c[i], sizeof bits);
        kernel_digest(&k, bits);
    }
    free(a);
    free(b);
    free(c);
    return kernel_end(&k, "matmul");
}
