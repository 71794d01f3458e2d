// What hardened code calls when it stops, for the appliance's image on a PC: there is no C library with `write` and `_exit`.
// The line goes to the first serial port, the machine ends as after a panic of the appliance: QEMU's exit code 35, since
// its exit device cannot say 86; without that device by a reset (crates/appliance/src/bare/arch/x86_64/power.rs).
typedef unsigned short port;

static void out(port at, unsigned char value) { __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(at)); }

static unsigned char in(port at) {
    unsigned char value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(at));
    return value;
}

long write(int file, const char *text, unsigned long size) {
    (void)file;
    for (unsigned long i = 0; i < size; i++) {
        // A port that nobody reads must not hold up the end.
        for (int looks = 0; looks < 100000 && !(in(0x3fd) & 0x20); looks++)
            ;
        out(0x3f8, text[i]);
    }
    return size;
}

_Noreturn void _exit(int code) {
    static const unsigned char nothing[10];
    (void)code;
    out(0xf4, 0x11);
    out(0xcf9, 6);
    out(0x64, 0xfe);
    __asm__ volatile("lidt %0\n\tud2" : : "m"(nothing));
    __builtin_unreachable();
}
