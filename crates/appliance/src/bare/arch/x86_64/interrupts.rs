//! Exceptions end the machine with a report; interrupts only wake it: each sets a flag, and what happened is
//! found out in turn.
//!
//! The compiler keeps data below the stack pointer, so interrupts have a stack of their own and come only
//! while the processor is halted.

use core::arch::{asm, global_asm};
use core::mem::size_of_val;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::clock;
use super::ports::out8;
use crate::bare::{End, layout, panic, power};
use crate::one_cpu::OneCpu;

/// First vector of the interrupts: the timer, the console, then devices.
const TIMER: u8 = 32;
const CONSOLE: u8 = 33;
const DEVICES: u8 = 34;
/// Vectors for devices.
const LINES: usize = 8;
const SPURIOUS: u8 = 255;
/// Line of the first serial port.
const CONSOLE_LINE: u32 = 4;

const LOCAL_APIC: usize = 0xfee0_0000;
const IO_APIC: usize = 0xfec0_0000;
/// Registers of the local APIC.
const SPURIOUS_VECTOR: usize = 0xf0;
const TIMER_VECTOR: usize = 0x320;
const SECOND_LINE: usize = 0x360;
const TIMER_COUNT: usize = 0x380;
const TIMER_NOW: usize = 0x390;
const TIMER_DIVISOR: usize = 0x3e0;
const MASKED: u32 = 1 << 16;
/// Delivered as an interrupt that cannot be masked.
const UNMASKABLE: u32 = 4 << 8;

/// Where interrupts leave their mark: the timer, the console, the devices.
#[unsafe(no_mangle)]
static INTERRUPT_FLAGS: [AtomicBool; 2 + LINES] = [const { AtomicBool::new(false) }; 2 + LINES];
/// Counts of the local APIC's timer a second.
static TIMER_HZ: AtomicU64 = AtomicU64::new(0);

// Each exception pushes what the processor does not, so that all look the same; each interrupt sets its flag
// and tells the local APIC (0xfee000b0) that it is done.
global_asm!(
    ".text",
    ".balign 16",
    "exception_table:",
    ".set n, 0",
    ".rept 32",
    // Those that push an error code: 8, 10 to 14, 17, 21, 29, 30.
    "    .balign 16",
    "    .if n != 8 && (n < 10 || n > 14) && n != 17 && n != 21 && n != 29 && n != 30",
    "    push 0",
    "    .endif",
    "    push n",
    "    jmp exception_any",
    "    .set n, n + 1",
    ".endr",
    "exception_any:",
    "    mov rdi, rsp",
    "    and rsp, -16",
    "    call {report}",
    "    ud2",
    ".balign 32",
    "interrupt_table:",
    ".set n, 0",
    ".rept 10",
    "    .balign 32",
    "    push rax",
    "    mov byte ptr [INTERRUPT_FLAGS + n], 1",
    "    mov eax, 0xfee000b0",
    "    mov dword ptr [rax], 0",
    "    pop rax",
    "    iretq",
    "    .set n, n + 1",
    ".endr",
    ".balign 16",
    "interrupt_spurious:",
    "    iretq",
    report = sym report,
);

unsafe extern "C" {
    static exception_table: u8;
    static interrupt_table: u8;
    static interrupt_spurious: u8;
}

/// What an exception leaves on its stack.
#[repr(C)]
struct Frame {
    number: u64,
    code: u64,
    rip: u64,
    cs: u64,
    flags: u64,
    rsp: u64,
    ss: u64,
}

/// Names of exceptions by their numbers, in one text: a table of texts would be larger than they are.
const NAMES: &str = "division by zero,debug,non-maskable interrupt,breakpoint,overflow,bound,invalid instruction,no FPU,\
    double fault,coprocessor,invalid task,no segment,stack segment,general protection,page fault,reserved,FPU error,\
    alignment,machine check,SIMD error";

extern "C" fn report(frame: *const Frame) -> ! {
    // SAFETY: the stub passes what it has just pushed.
    let frame = unsafe { &*frame };
    let address: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, cr2", out(reg) address, options(nomem, nostack)) };
    let name = NAMES.split(',').nth(frame.number as usize).unwrap_or("exception");
    crate::log!("appliance: {name} at {:#x}, code {:#x}", frame.rip, frame.code);
    if frame.number == 14 {
        crate::log!("appliance: address {address:#x}{}", layout::what_is_at(address));
    }
    panic::trace(frame.rip as usize, frame.rsp as usize);
    power::end(End::Fault)
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Gate {
    low: u16,
    selector: u16,
    stack: u8,
    kind: u8,
    middle: u16,
    high: u32,
    reserved: u32,
}

/// The task state: only its table of stacks is used.
#[repr(C, packed(4))]
struct Task {
    reserved: u32,
    stacks: [u64; 3],
    reserved_too: u64,
    interrupt_stacks: [u64; 7],
    rest: [u16; 6],
}

#[repr(C, align(16))]
struct Stack([u8; 8192]);

#[repr(C, packed)]
struct TablePointer {
    limit: u16,
    base: *const u8,
}

const NO_GATE: Gate = Gate { low: 0, selector: 0, stack: 0, kind: 0, middle: 0, high: 0, reserved: 0 };
static GATES: OneCpu<[Gate; 256]> = OneCpu::new([NO_GATE; 256]);
static SEGMENTS: OneCpu<[u64; 5]> = OneCpu::new([0, 0x00af_9a00_0000_ffff, 0x00cf_9200_0000_ffff, 0, 0]);
static TASK: OneCpu<Task> = OneCpu::new(Task {
    reserved: 0,
    stacks: [0; 3],
    reserved_too: 0,
    interrupt_stacks: [0; 7],
    rest: [0; 6],
});
static STACK: OneCpu<Stack> = OneCpu::new(Stack([0; 8192]));

/// Catches exceptions from now on.
pub fn catch_exceptions() {
    // SAFETY: called once, before anything else looks at these.
    let (gates, segments, task, stack) = unsafe { (GATES.get(), SEGMENTS.get(), TASK.get(), STACK.get()) };
    let top = core::ptr::from_mut(stack).addr() + size_of_val(stack);
    task.interrupt_stacks = [top as u64; 7];
    task.rest[5] = size_of::<Task>() as u16;
    let base = core::ptr::from_mut(task).addr() as u64;
    segments[3] =
        (size_of::<Task>() as u64 - 1) | (base & 0xff_ffff) << 16 | 0x89 << 40 | (base >> 24 & 0xff) << 56;
    segments[4] = base >> 32;
    let (exceptions, interrupts, spurious) =
        (&raw const exception_table, &raw const interrupt_table, &raw const interrupt_spurious);
    for (vector, gate) in gates.iter_mut().enumerate().take(32) {
        *gate = gate_to(exceptions.addr() + 16 * vector);
    }
    for line in 0..2 + LINES {
        gates[usize::from(TIMER) + line] = gate_to(interrupts.addr() + 32 * line);
    }
    gates[usize::from(SPURIOUS)] = gate_to(spurious.addr());
    let segments = TablePointer { limit: size_of_val(segments) as u16 - 1, base: segments.as_ptr().cast() };
    let gates = TablePointer { limit: size_of_val(gates) as u16 - 1, base: gates.as_ptr().cast() };
    // SAFETY: both tables are static and complete; the code segment stays the same.
    unsafe {
        asm!("lgdt [{}]", "lidt [{}]", "mov ax, 24", "ltr ax", in(reg) &segments, in(reg) &gates, out("ax") _);
    }
}

fn gate_to(address: usize) -> Gate {
    // Present, an interrupt gate, on the first of the interrupt stacks.
    Gate {
        low: address as u16,
        selector: 8,
        stack: 1,
        kind: 0x8e,
        middle: (address >> 16) as u16,
        high: (address >> 32) as u32,
        reserved: 0,
    }
}

fn local_apic(register: usize) -> *mut u32 {
    core::ptr::with_exposed_provenance_mut(LOCAL_APIC + register)
}

fn set(register: usize, value: u32) {
    // SAFETY: a register of the local APIC, which every 64-bit PC has there.
    unsafe { local_apic(register).write_volatile(value) };
}

/// Starts the local APIC and silences the old controllers; measures the timer together with the clock.
pub fn start() {
    // SAFETY: masks of the two 8259s, which a machine may lack.
    unsafe {
        out8(0x21, 0xff);
        out8(0xa1, 0xff);
    }
    set(SPURIOUS_VECTOR, 0x100 | u32::from(SPURIOUS));
    set(TIMER_DIVISOR, 0b1011);
    set(TIMER_VECTOR, MASKED);
    // SAFETY: as in `set`.
    let left = || u64::from(u32::MAX - unsafe { local_apic(TIMER_NOW).read_volatile() });
    clock::start_timer();
    let hz = clock::calibrate(|| set(TIMER_COUNT, u32::MAX), left);
    TIMER_HZ.store(hz, Ordering::Relaxed);
    // Who presses the NMI button of a machine that does not answer wants to know where it is: the report of
    // an exception.
    set(SECOND_LINE, UNMASKABLE);
    set(TIMER_VECTOR, TIMER.into());
    set(TIMER_COUNT, 0);
    route(CONSOLE_LINE, CONSOLE);
}

/// Has the I/O APIC deliver edges of a line.
fn route(line: u32, vector: u8) {
    let select = core::ptr::with_exposed_provenance_mut::<u32>(IO_APIC);
    for (register, value) in [(0x11 + 2 * line, 0), (0x10 + 2 * line, u32::from(vector))] {
        // SAFETY: the I/O APIC's window.
        unsafe {
            select.write_volatile(register);
            select.byte_add(0x10).write_volatile(value);
        }
    }
}

/// The vector for the device of this number; devices beyond the last share it.
pub fn vector_of(device: usize) -> u8 {
    DEVICES + device.min(LINES - 1) as u8
}

/// Delivers a line to the device of this number.
pub fn route_device(line: u32, device: usize) {
    route(line, vector_of(device));
}

/// Whether a device has interrupted since the last call.
pub fn take_device(device: usize) -> bool {
    INTERRUPT_FLAGS[2 + device.min(LINES - 1)].swap(false, Ordering::Relaxed)
}

/// Whether the console has.
pub fn take_console() -> bool {
    INTERRUPT_FLAGS[1].swap(false, Ordering::Relaxed)
}

/// Halts until an interrupt, at most for so many microseconds.
pub fn halt(most_us: u64) {
    let hz = TIMER_HZ.load(Ordering::Relaxed);
    let count = (u128::from(most_us) * u128::from(hz) / 1_000_000).clamp(1, u128::from(u32::MAX));
    set(TIMER_COUNT, count as u32);
    // SAFETY: an interrupt that is pending by now comes behind `sti` and ends `hlt`. Nothing is kept below
    // the stack pointer: the handlers have their own stack.
    unsafe { asm!("sti", "hlt", "cli") };
}
