//! Exceptions end the machine with a report. Interrupts are never taken: they end the processor's wait, and
//! which they were is then asked of the controller (GICv3).

use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use super::registers::{read, read_own, write, write_own};
use super::{clock, console};
use crate::bare::{End, layout, panic, power};
use crate::bare::{clock as time, refuse};
use crate::device_tree::PLACES;

/// Devices that are told apart.
const LINES: usize = PLACES;
/// Interrupts of devices begin with this number.
const FIRST: u32 = 32;
/// The virtual timer's.
const TIMER: u32 = 27;
/// From here on numbers say that there is none.
const NONE: u32 = 1020;

/// Registers of the distributor, and of the redistributor's second frame.
const CONTROL: usize = 0;
const GROUP: usize = 0x80;
const ENABLE: usize = 0x100;
const CONFIGURATION: usize = 0xc00;
const ROUTE: usize = 0x6000;
const SECOND_FRAME: usize = 0x1_0000;
/// Of the redistributor's first.
const WAKER: usize = 0x14;
const SLEEPS: u32 = 1 << 1;
const ASLEEP: u32 = 1 << 2;
/// Interrupts are delivered by affinity, in group 1.
const ON: u32 = 1 << 4 | 1 << 1;
/// Looks at a redistributor that wakes up.
const PATIENCE: u32 = 1_000_000;

/// The distributor, the redistributor.
static CONTROLLER: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
/// Numbers of the console's and the devices' interrupts; 0: none.
static CONSOLE: AtomicU32 = AtomicU32::new(0);
static DEVICES: [AtomicU32; LINES] = [const { AtomicU32::new(0) }; LINES];
/// What has interrupted.
static CONSOLE_FLAG: AtomicBool = AtomicBool::new(false);
static FLAGS: [AtomicBool; LINES] = [const { AtomicBool::new(false) }; LINES];

// Whatever happens goes the same way, on a stack of its own: that of the program may have overflowed.
global_asm!(
    ".text",
    ".balign 2048",
    "exception_table:",
    ".rept 16",
    ".balign 128",
    "    b exception_any",
    ".endr",
    "exception_any:",
    "    mrs x0, esr_el1",
    "    mrs x1, elr_el1",
    "    mov x2, sp",
    "    mov x3, x30",
    "    adrp x4, exception_stack",
    "    add x4, x4, #8, lsl #12",
    "    mov sp, x4",
    "    b {report}",
    ".section .tables, \"aw\", @nobits",
    ".balign 4096",
    "exception_stack: .skip 32768",
    ".text",
    report = sym report,
);

unsafe extern "C" {
    static exception_table: u8;
}

/// What happened, by the class of the syndrome.
fn name(class: u64) -> &'static str {
    match class {
        0x00 => "invalid instruction",
        0x07 => "no FPU",
        0x20 | 0x21 | 0x24 | 0x25 => "page fault",
        0x22 | 0x26 => "alignment",
        0x2f => "system error",
        0x3c => "breakpoint",
        _ => "exception",
    }
}

extern "C" fn report(syndrome: u64, at: usize, stack: usize, link: usize) -> ! {
    let name = name(syndrome >> 26);
    crate::log!("appliance: {name} at {at:#x}, code {syndrome:#x}");
    if name == "page fault" {
        let address = read_own!("far_el1");
        crate::log!("appliance: address {address:#x}{}", layout::what_is_at(address));
    }
    // A function that calls none has its caller in a register only: it is told as if it had been kept. One that
    // has overflowed the stack is told from the stack's end on.
    let mut stack = stack.max(layout::stack().start);
    if layout::stack().contains(&stack.wrapping_sub(16)) {
        stack -= 16;
        // SAFETY: within the stack, and nobody comes back to what is below.
        unsafe { core::ptr::with_exposed_provenance_mut::<usize>(stack).write(link) };
    }
    panic::trace(at, stack);
    power::end(End::Fault)
}

/// Catches exceptions from now on.
pub fn catch_exceptions() {
    write_own!("vbar_el1", (&raw const exception_table).addr() as u64);
    // SAFETY: errors of the system are exceptions, too; interrupts stay masked.
    unsafe { asm!("msr daifclr, #4", options(nomem, nostack)) };
}

/// Tells where distributor and redistributor are.
pub(super) fn set_controller(places: [u64; 2]) {
    CONTROLLER.iter().zip(places).for_each(|(slot, place)| slot.store(place as usize, Ordering::Relaxed));
}

/// Tells the console's line.
pub(super) fn set_console(line: u32) {
    CONSOLE.store(FIRST + line, Ordering::Relaxed);
}

fn controller() -> [usize; 2] {
    CONTROLLER.each_ref().map(|place| place.load(Ordering::Relaxed))
}

/// Starts controller and clock.
pub fn start() {
    let [distributor, redistributor] = controller();
    // SAFETY: registers of the controller, by the device tree.
    unsafe {
        write(distributor + CONTROL, ON);
        write(redistributor + WAKER, read(redistributor + WAKER) & !SLEEPS);
        if !(0..PATIENCE).any(|_| read(redistributor + WAKER) & ASLEEP == 0) {
            refuse("the interrupt controller does not wake up");
        }
        write(redistributor + SECOND_FRAME + GROUP, u32::MAX);
        write(redistributor + SECOND_FRAME + ENABLE, 1 << TIMER);
    }
    // System registers, every priority, group 1.
    write_own!("S3_0_C12_C12_5", 1);
    write_own!("S3_0_C4_C6_0", 0xff);
    write_own!("S3_0_C12_C12_7", 1);
    time::start(clock::counter(), clock::hz());
    let console = CONSOLE.load(Ordering::Relaxed);
    if console != 0 {
        deliver(console, false);
    }
}

/// Has an interrupt delivered: an edge of its line, or its level.
fn deliver(number: u32, edge: bool) {
    let [distributor, _] = controller();
    let (word, bit) = (number as usize / 32 * 4, 1 << (number % 32));
    let (pair, shift) = (number as usize / 16 * 4, number % 16 * 2 + 1);
    // SAFETY: registers of the controller.
    unsafe {
        let group = distributor + GROUP + word;
        write(group, read(group) | bit);
        let configuration = distributor + CONFIGURATION + pair;
        write(configuration, read(configuration) & !(1 << shift) | u32::from(edge) << shift);
        // To the only processor, whose affinity is 0.
        let route = core::ptr::with_exposed_provenance_mut::<u64>(distributor + ROUTE + number as usize * 8);
        route.write_volatile(0);
        write(distributor + ENABLE + word, bit);
    }
}

/// Delivers edges of a line to the device of this number.
pub fn route_device(line: u32, device: usize) {
    let number = FIRST + line;
    if number >= NONE {
        refuse("a device has an interrupt line that the controller has not");
    }
    DEVICES[device.min(LINES - 1)].store(number, Ordering::Relaxed);
    deliver(number, true);
}

/// Whether a device has interrupted since the last call.
pub fn take_device(device: usize) -> bool {
    FLAGS[device.min(LINES - 1)].swap(false, Ordering::Relaxed)
}

/// Whether the console has.
pub fn take_console() -> bool {
    CONSOLE_FLAG.swap(false, Ordering::Relaxed)
}

/// Halts until an interrupt, at most for so many microseconds.
pub fn halt(most_us: u64) {
    let counts =
        (u128::from(most_us) * u128::from(clock::hz()) / 1_000_000).clamp(1, u128::from(u64::MAX >> 1));
    write_own!("cntv_cval_el0", clock::counter() + counts as u64);
    write_own!("cntv_ctl_el0", 1);
    // SAFETY: an interrupt that is pending by now ends it, too, although none is taken.
    unsafe { asm!("dsb sy", "wfi", options(nostack)) };
    write_own!("cntv_ctl_el0", 0);
    take();
}

/// Asks the controller for interrupts until there is none.
fn take() {
    loop {
        let number = read_own!("S3_0_C12_C12_0") as u32 & 0xff_ffff;
        if number >= NONE {
            return;
        }
        if number == CONSOLE.load(Ordering::Relaxed) {
            CONSOLE_FLAG.store(true, Ordering::Relaxed);
            console::quiet();
        }
        for (device, flag) in DEVICES.iter().zip(&FLAGS) {
            if device.load(Ordering::Relaxed) == number {
                flag.store(true, Ordering::Relaxed);
            }
        }
        write_own!("S3_0_C12_C12_1", number.into());
    }
}
