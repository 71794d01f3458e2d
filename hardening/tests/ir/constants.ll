; What a register would hold for both flows is copied; what is part of the instruction is not.
; RUN: %harden %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"
@variable = global i64 0
; CHECK-LABEL: define i64 @f
; CHECK: %large = add i64 %a, 81985529216486895
; CHECK-NEXT: %[[LARGE:.*]] = call i64 asm "# flow 2", "=r,0"(i64 81985529216486895)
; CHECK-NEXT: add i64 %{{.*}}, %[[LARGE]]
; CHECK-NEXT: %small = add i64 %a, 12
; CHECK-NEXT: add i64 %{{.*}}, 12
; CHECK: load i64, ptr @variable
; CHECK-NEXT: %[[VARIABLE:.*]] = call ptr asm "# flow 2", "=r,0"(ptr @variable)
; CHECK-NEXT: load i64, ptr %[[VARIABLE]]
; CHECK: %pi = fadd double %x, 3.25
; CHECK-NEXT: %[[PI:.*]] = call double asm "# flow 2", "=x,0"(double 3.25
; CHECK-NEXT: fadd double %{{.*}}, %[[PI]]
define i64 @f(i64 %a, double %x) {
  %large = add i64 %a, 81985529216486895
  %small = add i64 %a, 12
  %read = load i64, ptr @variable
  %pi = fadd fast double %x, 3.25
  %whole = fptosi double %pi to i64
  %one = add i64 %large, %small
  %two = add i64 %read, %whole
  %all = xor i64 %one, %two
  ret i64 %all
}
