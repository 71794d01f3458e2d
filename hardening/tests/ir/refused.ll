; Functions that stay as they are, with the construct in the warning and in the statistics.
; RUN: rm -f %t.json
; RUN: env LOADSTONE_HARDEN_STATS=%t.json %harden %s 2>%t.said | FileCheck %s
; RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
; RUN: FileCheck %s --check-prefix=STATS --input-file=%t.json
target triple = "x86_64-pc-linux-gnu"
module asm "nop"
declare i32 @_setjmp(ptr) returns_twice

; CHECK-NOT: "loadstone-hardened"="ilr"
; SAID-DAG: function `naked` is not hardened: it has the attribute `naked`
; SAID-DAG: function `twice` is not hardened: it has a call that may return twice: `_setjmp`
; SAID-DAG: function `computed` is not hardened: it has a computed goto (indirectbr)
; SAID-DAG: function `assembly` is not hardened: it has `asm goto` (callbr)
; SAID-DAG: not hardened: assembly outside of functions
; STATS: "functions_not_protected":[{"construct":"the attribute `naked`
; STATS-SAME: "function":"naked"
; STATS-SAME: "mode":"ilr"
; STATS-SAME: "outside_functions":["assembly outside of functions"]
define void @naked() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}
define i32 @twice(ptr %at) {
  %r = call i32 @_setjmp(ptr %at) returns_twice
  ret i32 %r
}
define void @computed(ptr %at) {
  indirectbr ptr %at, [label %one, label %two]
one:
  ret void
two:
  ret void
}
define void @assembly() {
  callbr void asm sideeffect "", "!i"() to label %one [label %two]
one:
  ret void
two:
  ret void
}
