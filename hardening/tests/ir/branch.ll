; Both edges of a branch test the condition of the other flow; with TMR the third flow decides.
; RUN: env LOADSTONE_HARDEN=ilr %harden %s | FileCheck %s --check-prefix=ILR
; RUN: env LOADSTONE_HARDEN=tmr %harden %s | FileCheck %s --check-prefix=TMR
target triple = "x86_64-pc-linux-gnu"
; ILR-LABEL: define i32 @f
; ILR: %small = icmp ult i32 %a, 10
; ILR: %[[OTHER:.*]] = icmp ult i32 {{.*}}, 10
; ILR: br i1 %small, label %[[YES:.*]], label %[[NO:.*]]
; ILR: [[YES]]:
; ILR-NEXT: br i1 %[[OTHER]], label %then, label %loadstone.stop
; ILR: [[NO]]:
; ILR-NEXT: br i1 %[[OTHER]], label %loadstone.stop, label %join
; TMR-LABEL: define i32 @f
; TMR: %[[THIRD:.*]] = icmp ult
; TMR: br i1 %small
; TMR: then:
; TMR: join:
; TMR: phi i32 [ 3, %then ], [ 4, %{{.*}} ], [ 4, %[[ELSE:.*]] ]
; TMR: [[ELSE]]:
; TMR-NEXT: atomicrmw add ptr @__loadstone_corrected
; TMR-NEXT: br i1 %{{.*}}, label %then, label %join
define i32 @f(i32 %a) {
  %small = icmp ult i32 %a, 10
  br i1 %small, label %then, label %join
then:
  br label %join
join:
  %result = phi i32 [ 3, %then ], [ 4, %0 ]
  ret i32 %result
}
