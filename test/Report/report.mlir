// The report: JSON, and one HTML page around it.
// RUN: partita-opt %s --report=%t.json && FileCheck %s < %t.json
// RUN: partita-opt %s --report=%t.html && FileCheck %s --check-prefix=HTML < %t.html
// RUN: %python -c "import json, sys; plan = json.load(open(sys.argv[1])); assert plan['sent_bytes'] == sum(c['bytes'] * c['times'] for c in plan['collectives']) and plan['peak_bytes'] == max(m[2] for m in plan['memory'])" %t.json
// The page fetches nothing.
// RUN: not grep -E 'src=|href=|@import' %t.html
// RUN: not partita-opt %s --report=%t/none/plan.html 2>&1 | FileCheck %s --check-prefix=FOLDER

// CHECK:      {"program":"loop</script>","machine":"tpu-v5e","devices":4,"sent_bytes":[[#]],"seconds":{{.*}},"launches":[[#]],"peak_bytes":[[#]],
// CHECK-SAME: "meshes":[{"name":"mesh","axes":[{"axis":"x","size":4}]}]
// CHECK-SAME: "arguments":[{"name":"%arg0 (report.mlir:[[#]]:26)","origin":"the sharding of argument %arg0 (report.mlir:[[#]]:26)","global_type":"tensor<262144x8xf32>","local_type":"tensor<65536x8xf32>","global_shape":[262144,8],"local_shape":[65536,8],"bytes":2097152,"sharding":"[{\"x\"}, {}]","dims":{{\[\[}}{"axis":"\"x\"","size":4}],[]]
// CHECK-SAME: "results":[{"name":"result 0 (out)","origin":"annotated"
// CHECK-SAME: "collectives":[{"kind":"{{[a-z_]+}}","axes":"{\"x\"
// CHECK-SAME: "times":5,"seconds":{{.*}},"location":"report.mlir:[[#]]:14","reason":"%3 goes from [{}, {}] partial {\"x\"} to
// CHECK-SAME: "moves":[{"value":"%3","type":"tensor<8x7xf32>","global_shape":[8,7],"from":{{\[\[\],\[\]\]}},"to":{{\[\[}}
// CHECK-SAME: "memory":{{\[\[}}"stablehlo.

// HTML:     <!DOCTYPE html>
// HTML:     const plan = {"program":"loop\u003c/script>"
// HTML:     </html>

// FOLDER: note: fix: name a file in a folder that exists
module @"loop</script>" attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<262144x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x7xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %init = stablehlo.constant dense<0.0> : tensor<8x7xf32>
    %r:2 = stablehlo.while(%i = %zero, %acc = %init) : tensor<i32>, tensor<8x7xf32>
      cond {
        %c = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
        %w = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<262144x7xf32>
        %d = stablehlo.dot_general %a, %w, contracting_dims = [0] x [0] : (tensor<262144x8xf32>, tensor<262144x7xf32>) -> tensor<8x7xf32>
        %t = stablehlo.tanh %acc : tensor<8x7xf32>
        %s = stablehlo.add %d, %t : tensor<8x7xf32>
        %n = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %n, %s : tensor<i32>, tensor<8x7xf32>
      }
    return %r#1 : tensor<8x7xf32>
  }
}
