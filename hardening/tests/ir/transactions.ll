; Transactions: begun at the entry and behind calls, ended before calls and returns, cut in loops, aborted by a fault. Here
; only the code is looked at: it runs on processors with RTM.
; RUN: env LOADSTONE_HARDEN=tx %harden %s -o %t.ll && FileCheck %s --input-file=%t.ll && llc -O2 %t.ll -o - | FileCheck %s --check-prefix=ASM
target triple = "x86_64-pc-linux-gnu"
declare void @g(i32)
; CHECK: @llvm.global_ctors = {{.*}} @__loadstone_tx_needs_rtm
; CHECK-LABEL: define void @f
; CHECK: call void @__loadstone_tx_begin()
; CHECK: call void @__loadstone_tx_end()
; CHECK-NEXT: call void @g(i32 %a.kept)
; CHECK-NEXT: call void @__loadstone_tx_begin()
; CHECK: icmp uge i32 {{.*}}, 100
; CHECK: store i32 0, ptr
; CHECK-NEXT: call void @__loadstone_tx_end()
; CHECK-NEXT: call void @__loadstone_tx_begin()
; CHECK: end:
; CHECK: call void @__loadstone_tx_end()
; CHECK-NEXT: ret void
; CHECK: define linkonce_odr hidden void @__loadstone_detected()
; CHECK: call void @llvm.x86.xabort(i8 86)
; CHECK: define linkonce_odr hidden void @__loadstone_tx_needs_rtm()
; CHECK: "cpuid"
; CHECK: call void @_exit(i32 2)
; CHECK: define linkonce_odr hidden void @__loadstone_tx_begin()
; CHECK: call i32 @llvm.x86.xbegin()
; CHECK: icmp eq i32 {{.*}}, 1442840577
; CHECK: atomicrmw add ptr @__loadstone_corrected
; ASM-DAG: xbegin
; ASM-DAG: xend
; ASM-DAG: xabort $86
define void @f(i32 %a) {
  call void @g(i32 %a)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %a
  br i1 %more, label %loop, label %end
end:
  ret void
}
