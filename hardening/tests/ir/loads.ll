; The four ways in which the other flows get a loaded value. TMR votes on the address first.
; RUN: env LOADSTONE_HARDEN_LOADS=cmp %harden %s | FileCheck %s --check-prefix=CMP
; RUN: env LOADSTONE_HARDEN_LOADS=dup %harden %s | FileCheck %s --check-prefix=DUP
; RUN: env LOADSTONE_HARDEN_LOADS=move %harden %s | FileCheck %s --check-prefix=MOVE
; RUN: env LOADSTONE_HARDEN=tmr %harden %s | FileCheck %s --check-prefix=TMR
target triple = "x86_64-pc-linux-gnu"

; CMP-LABEL: define i32 @plain
; CMP: %[[AT:.*]] = call ptr asm
; CMP: %value = load i32, ptr %at
; CMP-NEXT: %[[OTHER:.*]] = load i32, ptr %[[AT]]
; CMP-NEXT: icmp ne i32 %value, %[[OTHER]]
; CMP: load volatile i32, ptr %at
; CMP: load volatile i32, ptr %[[AT]]
; CMP: icmp ult i32 {{.*}}, 1000
; CMP: atomicrmw add ptr @__loadstone_reloaded
; DUP-LABEL: define i32 @plain
; DUP: %[[AT:.*]] = call ptr asm
; DUP: %value = load i32, ptr %at
; DUP-NEXT: %[[OTHER:.*]] = load i32, ptr %[[AT]]
; DUP-NEXT: %value.kept = call i32 asm "# flow 1", "=r,0"(i32 %value)
; DUP-NEXT: icmp ne i32 %value.kept, %[[OTHER]]
; DUP-NEXT: br i1 {{.*}}, label %loadstone.stop
; DUP: ret i32 %value.kept
; MOVE-LABEL: define i32 @plain
; MOVE: icmp ne ptr %at
; MOVE: %value = load i32, ptr %at.kept
; MOVE-NEXT: %[[OTHER:.*]] = call i32 asm "# flow 2", "=r,0"(i32 %value)
; MOVE-NEXT: %value.kept = call i32 asm "# flow 1", "=r,0"(i32 %value)
; MOVE-NEXT: icmp ne i32 %value.kept, %[[OTHER]]
; TMR-LABEL: define i32 @plain
; TMR: %[[AT:.*]] = phi ptr [ %at.kept,
; TMR-NEXT: %value = load i32, ptr %[[AT]]
; TMR-NEXT: load volatile i32, ptr %[[AT]]
; TMR-NEXT: load volatile i32, ptr %[[AT]]
; TMR: icmp ne i32 %value
define i32 @plain(ptr %at) {
  %value = load i32, ptr %at, !range !0
  ret i32 %value
}

; What is volatile or atomic is read once, from an address that was compared.
; CMP-LABEL: define i32 @once
; CMP: icmp ne ptr %at
; CMP: load volatile i32, ptr %at.kept
; CMP-NOT: load volatile
; CMP: icmp ne ptr %other
; CMP: load atomic i32, ptr %other.kept seq_cst
; CMP-NOT: load atomic
; CMP: ret i32
define i32 @once(ptr %at, ptr %other) {
  %one = load volatile i32, ptr %at
  %two = load atomic i32, ptr %other seq_cst, align 4
  %sum = add i32 %one, %two
  ret i32 %sum
}
!0 = !{i32 0, i32 10}
