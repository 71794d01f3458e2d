; The other flow has phis of its own, with constants of its own, behind an assembly that keeps them apart.
; RUN: %harden %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"
; CHECK-LABEL: define i64 @count
; CHECK: %[[ZERO:.*]] = call i64 asm "movq $1, $0 # flow 2", "=r,i"(i64 0)
; CHECK: {{^}}loop:{{.*}}
; CHECK-NEXT: %[[PHI:.*]] = phi i64 [ %[[ZERO]], %0 ], [ %[[NEXT:.*]], %
; CHECK-NEXT: %i = phi i64 [ 0, %0 ], [ %next
; CHECK-NEXT: %[[I:.*]] = call i64 asm "# flow 2", "=r,0"(i64 %[[PHI]])
; CHECK: %[[NEXT]] = add i64 %[[I]], 1
define i64 @count(i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %next
}
; A switch becomes branches, each tested in both flows: the compiler's own would be in one.
; CHECK-LABEL: define i32 @many
; CHECK-NOT: switch
; CHECK: %[[A:.*]] = call i32 asm "# flow 2", "=r,0"(i32 %a)
; CHECK: %[[LEAF:.*]] = icmp eq i32 %a, 5
; CHECK-NEXT: %[[OTHER:.*]] = icmp eq i32 %[[A]], 5
; CHECK: br i1 %[[LEAF]], label %[[YES:.*]], label %[[NO:.*]]
; CHECK-DAG: br i1 %[[OTHER]], label %{{.*}}, label %loadstone.stop
; CHECK: ret i32
define i32 @many(i32 %a) {
  switch i32 %a, label %other [ i32 1, label %end
                                i32 5, label %end ]
other:
  br label %end
end:
  %r = phi i32 [ 1, %0 ], [ 1, %0 ], [ 2, %other ]
  ret i32 %r
}
