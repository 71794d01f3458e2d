; A division by a constant is a multiplication in the other flow, with a factor of its own: the compiler's own factor would
; serve both flows. Powers of two are shifts, and stay as they are.
; RUN: %harden %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"
; CHECK-LABEL: define i64 @f
; CHECK: %rest = urem i64 %a, 26
; CHECK-NOT: urem
; CHECK: %[[FACTOR:.*]] = call i64 asm "movabsq $1, $0 # flow 2", "=r,i"(i64 5675921253449092805)
; CHECK: zext i64 %[[FACTOR]] to i128
; CHECK: mul i128
; CHECK: %eighth = udiv i64 %a, 8
; CHECK-NEXT: udiv i64 %{{.*}}, 8
; CHECK: %signed = sdiv i64 %a, -7
; CHECK-NOT: sdiv
; CHECK: sext i64 %{{.*}} to i128
; CHECK: ret i64
define i64 @f(i64 %a) {
  %rest = urem i64 %a, 26
  %eighth = udiv i64 %a, 8
  %signed = sdiv i64 %a, -7
  %one = xor i64 %rest, %eighth
  %all = xor i64 %one, %signed
  ret i64 %all
}
