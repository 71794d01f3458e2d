; Before a store, value and address of both flows are compared; TMR votes on them. What is compared is what is stored: a copy
; that the compiler cannot compute once more behind the comparison.
; RUN: env LOADSTONE_HARDEN=ilr %harden %s | FileCheck %s --check-prefix=ILR
; RUN: env LOADSTONE_HARDEN=tmr %harden %s | FileCheck %s --check-prefix=TMR
target triple = "x86_64-pc-linux-gnu"

; ILR: @__loadstone_hardened = linkonce_odr hidden constant [8 x i8] c"ilr cmp\00", comdat
; ILR-LABEL: define void @f(ptr %at, i32 %a)
; ILR: %[[AT:.*]] = call ptr asm "# flow 2", "=r,0"(ptr %at)
; ILR: %[[A:.*]] = call i32 asm "# flow 2", "=r,0"(i32 %a)
; ILR: %sum = add i32 %a, 7
; ILR: %[[SUM:.*]] = add i32 %[[A]], 7
; ILR: %[[KEPT:.*]] = call i32 asm "# flow 1", "=r,0"(i32 %sum)
; ILR: icmp ne i32 %[[KEPT]], %[[SUM]]
; ILR: br i1 {{.*}}, label %loadstone.stop
; ILR: icmp ne ptr %at.kept, %[[AT]]
; ILR: br i1 {{.*}}, label %loadstone.stop
; ILR: store i32 %[[KEPT]], ptr %at.kept
; ILR: loadstone.stop:
; ILR-NEXT: call void @__loadstone_detected()
; ILR-NEXT: unreachable
; ILR: define linkonce_odr hidden void @__loadstone_detected()
; ILR: call void @_exit(i32 86)

; TMR-LABEL: define void @f(ptr %at, i32 %a)
; TMR: asm "# flow 2", "=r,0"(ptr %at)
; TMR: asm "# flow 3", "=r,0"(ptr %at)
; TMR: icmp ne i32 %sum
; TMR: %[[SUM:.*]] = phi i32 [ %sum.kept, {{.*}} ], [ %[[RIGHT:.*]], %
; TMR: %[[AT:.*]] = phi ptr [ %at.kept,
; TMR: store i32 %[[SUM]], ptr %[[AT]]
; TMR: atomicrmw add ptr @__loadstone_corrected, i64 1 monotonic
; TMR: %[[RIGHT]] = select i1
define void @f(ptr %at, i32 %a) {
  %sum = add nsw i32 %a, 7
  store i32 %sum, ptr %at
  ret void
}
