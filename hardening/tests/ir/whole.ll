; When a program that is optimised as a whole is hardened: by file, or once behind that; and what rustc has to be told.
; RUN: opt -S %plugin -passes='default<O1>' %s | FileCheck %s --check-prefix=YES
; RUN: env LOADSTONE_HARDEN_AT=link opt -S %plugin -passes='default<O1>' %s | FileCheck %s --check-prefix=YES
; RUN: opt -S %plugin -passes='lto-pre-link<O1>' %s | FileCheck %s --check-prefix=YES
; RUN: opt -S %plugin -passes='lto<O1>' %s | FileCheck %s --check-prefix=NO
; RUN: env LOADSTONE_HARDEN_AT=link opt -S %plugin -passes='lto<O1>' %s | FileCheck %s --check-prefix=YES
; RUN: env LOADSTONE_HARDEN_AT=end not %harden %s 2>&1 | FileCheck %s --check-prefix=WRONG
; LLVM 19 does not tell the pass what will become of a file.
; RUN: test %llvm = 19 || env LOADSTONE_HARDEN_AT=link opt -S %plugin -passes='lto-pre-link<O1>' %s | FileCheck %s --check-prefix=NO
; RUN: test %llvm = 19 || env LOADSTONE_HARDEN_AT=link opt -S %plugin -passes='thinlto-pre-link<O1>' %s | FileCheck %s --check-prefix=NO
; rustc drops the errors and warnings of passes: the first end it, and the others are printed.
; RUN: sed -e 's/clang version/rustc version/' %s > %t.ll
; RUN: %harden %t.ll 2>&1 >/dev/null | FileCheck %s --check-prefix=WARNED
; RUN: env LOADSTONE_HARDEN=dmr not %harden %t.ll 2>&1 | FileCheck %s --check-prefix=ENDED
target triple = "x86_64-pc-linux-gnu"
; YES: define {{.*}}@kept({{.*}} #[[A:[0-9]+]]
; YES: attributes #[[A]] = {{.*}}"loadstone-hardened"="ilr"
; NO-NOT: loadstone-hardened
; WRONG: environment: at `end` is none of file, link
; WARNED: loadstone: warning: {{.*}}in function `kept`, not hardened: inline assembly
; ENDED: LLVM ERROR: loadstone: environment: mode `dmr` is none of
define i32 @kept(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  call void asm sideeffect "nop", ""()
  ret i32 %sum
}
!llvm.ident = !{!0}
!0 = !{!"clang version 22.1.0"}
