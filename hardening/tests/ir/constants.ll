; What a register would hold for both flows is made anew for each: numbers by an instruction of their own, from memory what
; no instruction holds, addresses from where the code is. What is part of the instruction is not.
; RUN: %harden %s -o %t.ll && FileCheck %s --input-file=%t.ll && llc -O2 --relocation-model=pic %t.ll -o - | FileCheck %s --check-prefix=ASM
target triple = "x86_64-pc-linux-gnu"
@variable = dso_local global [4 x i64] zeroinitializer
@elsewhere = external global i64
; CHECK: @[[PI:.*]] = private unnamed_addr constant double 3.25
; CHECK-LABEL: define i64 @f
; CHECK: %large = add i64 %a, 81985529216486895
; CHECK-NEXT: %[[LARGE:.*]] = call i64 asm "movabsq $1, $0 # flow 2", "=r,i"(i64 81985529216486895)
; CHECK-NEXT: add i64 %{{.*}}, %[[LARGE]]
; CHECK-NEXT: %small = add i64 %a, 12
; CHECK-NEXT: add i64 %{{.*}}, 12
; CHECK: load i64, ptr @variable
; CHECK-NEXT: %[[VARIABLE:.*]] = call ptr asm "leaq ${1:c}(%rip), $0 # flow 2", "=r,i"(ptr @variable)
; CHECK-NEXT: load i64, ptr %[[VARIABLE]]
; CHECK: load i64, ptr @elsewhere
; CHECK-NEXT: call ptr asm "# flow 2", "=r,0"(ptr @elsewhere)
; CHECK: %pi = fadd double %x, 3.25
; CHECK-NEXT: %[[OTHER:.*]] = load volatile double, ptr @[[PI]]
; CHECK-NEXT: fadd double %{{.*}}, %[[OTHER]]
; CHECK: %chosen = select i1 %{{.*}}, i32 7, i32 %narrow
; CHECK-NEXT: call i32 asm "movl $1, ${0:k} # flow 2", "=r,i"(i32 7)
; ASM: movabsq $81985529216486895,
; ASM: movabsq $81985529216486895,
; ASM: leaq {{.*}}variable{{.*}}(%rip),
define i64 @f(i64 %a, double %x, i32 %narrow) {
  %large = add i64 %a, 81985529216486895
  %small = add i64 %a, 12
  %read = load i64, ptr @variable
  %far = load i64, ptr @elsewhere
  %pi = fadd fast double %x, 3.25
  %whole = fptosi double %pi to i64
  %some = icmp ugt i64 %whole, %a
  %chosen = select i1 %some, i32 7, i32 %narrow
  %wide = zext i32 %chosen to i64
  %one = add i64 %large, %small
  %two = add i64 %read, %whole
  %three = add i64 %far, %wide
  %four = xor i64 %one, %two
  %all = xor i64 %three, %four
  ret i64 %all
}
; With a distance, too.
; CHECK-LABEL: define ptr @third
; CHECK: asm "leaq ${1:c}(%rip), $0 # flow 2", "=r,i"(ptr getelementptr inbounds
define ptr @third(i1 %a) {
  %r = select i1 %a, ptr getelementptr inbounds ([4 x i64], ptr @variable, i64 0, i64 2), ptr null
  ret ptr %r
}
; An address on the stack, too.
; CHECK-LABEL: define i64 @stack
; CHECK: call ptr asm "leaq $1, $0 # flow 2", "=r,*m"(ptr elementtype(i8) %memory)
; ASM-LABEL: stack:
; ASM: leaq {{.*}}(%rsp), %{{.*}}
; ASM-NEXT: #NO_APP
define i64 @stack(i64 %at, i64 %value) {
  %memory = alloca [64 x i64]
  %address = getelementptr i64, ptr %memory, i64 %at
  store i64 %value, ptr %address
  %read = load i64, ptr %memory
  ret i64 %read
}
