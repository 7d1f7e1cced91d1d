// The tools that compile emit remarks too, when they are asked to.
// RUN: partita-run %s --plan-only --remarks-filter=plan 2>&1 | FileCheck %s
// RUN: partita-translate --spmd-to-manual %s --remarks-filter=plan -o /dev/null 2>&1 | FileCheck %s
// RUN: partita-run %s --plan-only --remarks-filter=plan --remark-format=yaml --remarks-output-file=%t.yaml
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: partita-run %s --plan-only 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: not partita-run %s --plan-only --remarks-filter=plan --remark-format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not partita-run %s --plan-only --remarks-filter='(' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not partita-run %s --plan-only --remarks-filter=plan --remark-format=yaml --remarks-output-file=%t/none/a.yaml 2>&1 | FileCheck %s --check-prefix=FOLDER

// CHECK: remark: [Analysis] Collective | Category:plan | Bytes=384
// CHECK-SAME: result 0 of @main
// YAML: Name: {{ *}}Collective
// QUIET-NOT: remark
// FORMAT: error: unknown remark format 'xml'
// FORMAT-NEXT: note: fix: use --remark-format=emitRemark, yaml or bitstream
// REGEX: error: --remarks-filter: {{.*}}
// REGEX-NEXT: note: fix: use a regular expression
// FOLDER: error: can't write remarks to
// FOLDER-NEXT: note: fix: name a file in a folder that exists
module @gather attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    return %a : tensor<16x8xf32>
  }
}
