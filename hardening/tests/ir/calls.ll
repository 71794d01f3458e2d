; Calls, invokes, tail calls, variable arguments, assembly: once, with operands compared before and results copied after.
; RUN: %harden %s 2>%t.said | FileCheck %s
; RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
target triple = "x86_64-pc-linux-gnu"
declare i32 @g(i32)
declare i32 @v(ptr, ...)
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define i32 @call
; CHECK: icmp ne i32 %b
; CHECK: %got = call i32 @g(i32 %b.kept)
; CHECK-NEXT: call i32 asm "# flow 2", "=r,0"(i32 %got)
define i32 @call(i32 %a) {
  %b = add i32 %a, 1
  %got = call i32 @g(i32 %b)
  %c = add i32 %got, 1
  ret i32 %c
}

; CHECK-LABEL: define i32 @indirect
; CHECK: icmp ne ptr %f
; CHECK: call i32 %f.kept(i32 1)
define i32 @indirect(ptr %f) {
  %got = call i32 %f(i32 1)
  ret i32 %got
}

; CHECK-LABEL: define i32 @variable
; CHECK: icmp ne i32 %a
; CHECK: call i32 (ptr, ...) @v(ptr null, i32 %a.kept)
define i32 @variable(i32 %a) {
  %got = call i32 (ptr, ...) @v(ptr null, i32 %a)
  %b = mul i32 %got, 3
  ret i32 %b
}

; CHECK-LABEL: define i32 @invoked
; CHECK: %got = invoke i32 @g(i32 %a.kept)
; CHECK-NEXT: to label %[[AFTER:.*]] unwind
; CHECK: [[AFTER]]:
; CHECK-NEXT: %[[COPY:.*]] = call i32 asm "# flow 2", "=r,0"(i32 %got)
; CHECK: phi i32 [ %[[COPY]], %[[AFTER]] ], [ %
; CHECK-NEXT: phi i32 [ %got, %[[AFTER]] ], [ 5, %
define i32 @invoked(i32 %a, ptr %at) personality ptr @__gxx_personality_v0 {
  %got = invoke i32 @g(i32 %a) to label %good unwind label %bad
bad:
  %pad = landingpad { ptr, i32 } cleanup
  %pointer = extractvalue { ptr, i32 } %pad, 0
  store ptr %pointer, ptr %at
  br label %good
good:
  %r = phi i32 [ %got, %0 ], [ 5, %bad ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @must
; CHECK: icmp ne i32 %a
; CHECK: %got = musttail call i32 @g(i32 %a.kept)
; CHECK-NEXT: ret i32 %got
define i32 @must(i32 %a) {
  %got = musttail call i32 @g(i32 %a)
  ret i32 %got
}

; Nothing comes between a tail call and its return that would need the stack.
; CHECK-LABEL: define i32 @may
; CHECK: %got = tail call i32 @g(i32 %a.kept)
; CHECK-NOT: br
; CHECK: ret i32 %got
define i32 @may(i32 %a) {
  %got = tail call i32 @g(i32 %a)
  ret i32 %got
}

; CHECK-LABEL: define i32 @assembly
; CHECK: icmp ne i32 %a
; CHECK: call i32 asm sideeffect "bswap $0", "=r,0"(i32 %a.kept)
; CHECK-NOT: asm sideeffect
; CHECK: ret
; SAID: in function `assembly`, not hardened: inline assembly runs once; only its operands are checked
define i32 @assembly(i32 %a) {
  %b = call i32 asm sideeffect "bswap $0", "=r,0"(i32 %a)
  %c = add i32 %b, 1
  ret i32 %c
}

; CHECK-LABEL: define i32 @atomics
; CHECK: icmp ne ptr %at
; CHECK: icmp ne i32 %a
; CHECK: atomicrmw add ptr %at.kept, i32 %a.kept seq_cst
; CHECK-NOT: atomicrmw add ptr %at
; CHECK: cmpxchg ptr %at.kept{{[0-9]*}}
; CHECK-NOT: cmpxchg
; CHECK: ret
define i32 @atomics(ptr %at, i32 %a) {
  %old = atomicrmw add ptr %at, i32 %a seq_cst
  %pair = cmpxchg ptr %at, i32 %old, i32 %a seq_cst seq_cst
  %now = extractvalue { i32, i1 } %pair, 0
  ret i32 %now
}

; CHECK: define i32 @chosen{{.*}} #[[ATTRIBUTES:[0-9]+]]
; CHECK-NOT: switch
; CHECK: attributes #[[ATTRIBUTES]] = {{.*}}"loadstone-hardened"="ilr"{{.*}}"no-jump-tables"="true"
define i32 @chosen(i32 %a) {
  switch i32 %a, label %other [ i32 1, label %one
                                i32 5, label %other
                                i32 7, label %three ]
three:
  ret i32 30
one:
  ret i32 10
other:
  ret i32 20
}
