; Debug information stays, and inserted calls have a place.
; RUN: env LOADSTONE_HARDEN=tmr %harden %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"
; CHECK: %sum = add i32 %a, 1, !dbg ![[PLACE:[0-9]+]]
; CHECK: #dbg_value(i32 %sum, !{{[0-9]+}}, !DIExpression(), ![[PLACE]])
; CHECK: call void @__loadstone_detected(){{.*}}, !dbg ![[NOWHERE:[0-9]+]]
; CHECK-DAG: ![[PLACE]] = !DILocation(line: 3
; CHECK-DAG: ![[NOWHERE]] = !DILocation(line: 0
define i32 @f(i32 %a) !dbg !4 {
  %sum = add i32 %a, 1, !dbg !8
    #dbg_value(i32 %sum, !7, !DIExpression(), !8)
  ret i32 %sum, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 2, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocalVariable(name: "sum", scope: !4, file: !1, line: 3, type: !9)
!8 = !DILocation(line: 3, column: 1, scope: !4)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
