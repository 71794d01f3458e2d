; Undefined values become zero, and flags that make results undefined go away: flows must not differ without a fault.
; RUN: %harden %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"
; CHECK-LABEL: define i32 @f
; CHECK-NOT: {{undef|poison|nsw|nnan}}
; CHECK: ret i32
define i32 @f(i32 %a, <2 x i32> %v) {
  %sum = add nsw i32 %a, undef
  %one = insertelement <2 x i32> poison, i32 %sum, i32 0
  %two = shufflevector <2 x i32> %one, <2 x i32> %v, <2 x i32> <i32 poison, i32 2>
  %three = add <2 x i32> %two, <i32 1, i32 undef>
  %four = extractelement <2 x i32> %three, i32 1
  ret i32 %four
}
