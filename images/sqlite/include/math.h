#define INFINITY (__builtin_inff())
#define fabs __builtin_fabs
