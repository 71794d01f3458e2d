; What a function's attribute, an annotation and the list of exceptions say of it.
; RUN: env LOADSTONE_HARDEN_EXCEPT=listed,other LOADSTONE_HARDEN_STATS=%t.json %harden %s | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS --input-file=%t.json
; A second run changes nothing.
; RUN: env LOADSTONE_HARDEN=tmr %harden %s -o %t.once && env LOADSTONE_HARDEN=tmr %harden %t.once -o %t.twice
; RUN: grep -v ModuleID %t.once > %t.1 && grep -v ModuleID %t.twice > %t.2 && diff %t.1 %t.2
; RUN: env LOADSTONE_HARDEN=off %harden %s | FileCheck %s --check-prefix=OFF
; RUN: env LOADSTONE_HARDEN=dmr not %harden %s 2>&1 | FileCheck %s --check-prefix=WRONG
; RUN: sed -e 's/="off"/="of"/' %s > %t.ll && not %harden %t.ll 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
; RUN: sed -e 's/x86_64/aarch64/' %s > %t.ll && not %harden %t.ll 2>&1 | FileCheck %s --check-prefix=MACHINE
target triple = "x86_64-pc-linux-gnu"
; STATS: "counts":{
; STATS-SAME: "functions":{"ilr":1,"tmr":1}
; STATS-SAME: "left_as_asked":["left","listed","annotated"]
; STATS-SAME: "loads":"cmp"
; OFF-LABEL: define i32 @plain
; OFF-NEXT: ret i32 %a
; WRONG: environment: mode `dmr` is none of off, ilr, tmr, tx
; ATTRIBUTE: function `left`: attribute: mode `of` is none of
; MACHINE: code is hardened for x86-64 only, and this is for aarch64
@.words = private constant [21 x i8] c"loadstone-harden:off\00"
@.file = private constant [2 x i8] c"f\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @annotated, ptr @.words, ptr @.file, i32 1, ptr null }], section "llvm.metadata"
; CHECK-LABEL: define i32 @left
; CHECK-NOT: asm
define i32 @left(i32 %a) "loadstone-harden"="off" {
  ret i32 %a
}
; CHECK-LABEL: define i32 @listed
; CHECK-NOT: asm
define i32 @listed(i32 %a) {
  ret i32 %a
}
; CHECK-LABEL: define i32 @annotated
; CHECK-NOT: asm
define i32 @annotated(i32 %a) {
  ret i32 %a
}
; CHECK-LABEL: define i32 @plain
; CHECK: asm "# flow 2"
; CHECK-NOT: asm "# flow 3"
define i32 @plain(i32 %a) {
  ret i32 %a
}
; CHECK-LABEL: define i32 @voting
; CHECK: asm "# flow 3"
define i32 @voting(i32 %a) "loadstone-harden"="tmr" {
  ret i32 %a
}
