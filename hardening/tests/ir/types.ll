; Every type that code has, through the registers that it has; floating-point numbers are compared as bits, and two NaNs
; do not differ.
; RUN: env LOADSTONE_HARDEN=tmr %harden %s -o %t.ll && FileCheck %s --input-file=%t.ll
; RUN: llc -O2 %t.ll -o /dev/null
; RUN: env LOADSTONE_HARDEN_LOADS=move %harden %s -o %t.ll && llc -O0 %t.ll -o /dev/null
target triple = "x86_64-pc-linux-gnu"
; CHECK-LABEL: define void @f
; CHECK-DAG: asm "# flow 2", "=x,0"(double %d)
; CHECK-DAG: asm "# flow 2", "=x,0"(fp128 %q)
; CHECK-DAG: asm "# flow 2", "={st},0"(x86_fp80 %l)
; CHECK-DAG: asm "# flow 2", "=x,0"(<4 x float> %v)
; CHECK-DAG: bitcast double %d.kept to i64
; CHECK-DAG: fcmp uno double %d.kept
define void @f(double %d, float %s, half %h, bfloat %b, fp128 %q, x86_fp80 %l, i1 %bit, i7 %odd, i128 %w,
               <4 x float> %v, <8 x i32> %v8, <2 x i1> %mask, <3 x i16> %three, <2 x ptr> %ps, { i64, double } %pair) {
  call void @use(double %d, float %s, half %h, bfloat %b, fp128 %q, x86_fp80 %l, i1 %bit, i7 %odd, i128 %w,
                 <4 x float> %v, <8 x i32> %v8, <2 x i1> %mask, <3 x i16> %three, <2 x ptr> %ps, { i64, double } %pair)
  ret void
}
declare void @use(double, float, half, bfloat, fp128, x86_fp80, i1, i7, i128, <4 x float>, <8 x i32>, <2 x i1>,
                  <3 x i16>, <2 x ptr>, { i64, double })
; With AVX, a register of its width.
; CHECK-LABEL: define <8 x i32> @wide
; CHECK: asm "# flow 2", "=x,0"(<8 x i32> %v)
define <8 x i32> @wide(<8 x i32> %v) "target-features"="+avx2" {
  ret <8 x i32> %v
}
