// RUN: partita-opt %s --spmd-deepen-halos=depth=3 | FileCheck %s
// RUN: partita-opt %s --spmd-deepen-halos --remarks-filter=collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not partita-opt %s --partita=halo-depth=-1 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: halo-depth is -1; fix: use 0 (by cost), 1 (none) or more

module {
  spmd.mesh @m = <["x"=4, "y"=2]>

  // Seven trips are two blocks of three and one as it was. Each trip reads one row
  // above: three of them, once per block. Rows outside the array are zeros again in
  // each trip, and what is not carried on is cut back to the block.
  // CHECK-LABEL: func.func @rows(
  // CHECK:       %[[OUTER:.*]]:3 = stablehlo.while(%[[I:.*]] = {{.*}}, %[[X:.*]] = %arg0, %[[O:.*]] = {{.*}}) : tensor<i32>, tensor<16x8xf32>, tensor<i32>
  // CHECK:         stablehlo.constant dense<2>
  // CHECK:       do {
  // CHECK:         %[[DEEP:.*]] = spmd.exchange %[[X]] [64, 8] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [-3 + i*16 : 19, 0 + i*8 : 8]
  // CHECK:         %[[INNER:.*]]:3 = stablehlo.while(%{{.*}} = %[[I]], %[[WIDE:.*]] = %[[DEEP]], {{.*}}) : tensor<i32>, tensor<19x8xf32>, tensor<i32>
  // CHECK:           stablehlo.constant dense<3>
  // CHECK:         do {
  // CHECK:           %[[ZEROS:.*]] = stablehlo.select %{{.*}}, %[[WIDE]], %{{.*}} : tensor<19x8xi1>, tensor<19x8xf32>
  // CHECK:           %[[ABOVE:.*]] = stablehlo.pad %[[ZEROS]], %{{.*}}, low = [1, 0], high = [-1, 0]
  // CHECK:           %[[NEXT:.*]] = stablehlo.add %[[ABOVE]], %[[WIDE]] : tensor<19x8xf32>
  // CHECK-NOT:       spmd.exchange
  // CHECK:         }
  // CHECK:         stablehlo.pad %[[INNER]]#1, %{{.*}}, low = [-3, 0], high = [0, 0]{{.*}} -> tensor<16x8xf32>
  // CHECK:       }
  // CHECK:       %[[LAST:.*]]:3 = stablehlo.while(%{{.*}} = %[[OUTER]]#0, %[[BLOCK:.*]] = %[[OUTER]]#1, {{.*}}) : tensor<i32>, tensor<16x8xf32>, tensor<i32>
  // CHECK:         stablehlo.constant dense<1>
  // CHECK:         spmd.exchange %[[BLOCK]] [64, 8] {{.*}} [-1 + i*16 : 16, 0 + i*4 : 8]
  // CHECK:       return %[[LAST]]#1
  // REMARK: Deepened{{.*}}1 exchanges in each of 7 trips, 224 bytes and 21.0 us; every 7 trips 224 bytes and 3.0 us, with the work that is done twice
  func.func @rows(%arg0: tensor<16x8xf32> {spmd.global_type = tensor<64x16xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<16x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<16x8xf32>
    cond {
      %n = stablehlo.constant dense<7> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %above = spmd.exchange %x [64, 8] from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> [-1 + i*16 : 16, 0 + i*4 : 8] : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %next = stablehlo.add %above, %x : tensor<16x8xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<16x8xf32>
    }
    return %0#1 : tensor<16x8xf32>
  }

  // A value that is the same in each trip gets its ghost zone before all of them;
  // what goes round has no zeros outside, and positions go round with it. By cost
  // nothing is done, since two ghost zones are twice the bytes of one halo.
  // REMARK: NotDeepened{{.*}}1 exchanges in each of 6 trips take {{.*}} us and 48 bytes in all; ghost zones of 2 to 6 trips are not cheaper at 5 percent more bytes
  // CHECK-LABEL: func.func @round(
  // CHECK:       %[[FIELD:.*]] = spmd.exchange %arg1 [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*16 : 22 wrap]
  // CHECK:       stablehlo.while
  // CHECK:       do {
  // CHECK:         spmd.exchange %{{.*}} [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [0 + i*16 : 22 wrap]
  // CHECK:         stablehlo.while({{.*}} = %[[FIELD]]
  // CHECK:           stablehlo.pad %{{.*}}, low = [-2], high = [2]
  // CHECK:           stablehlo.iota dim = 0 : tensor<22xi32>
  // CHECK:           stablehlo.remainder
  // CHECK:           stablehlo.convert {{.*}} -> tensor<22xf32>
  func.func @round(%arg0: tensor<16xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}, %arg1: tensor<16xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<16xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %x = %arg0, %c = %arg1) : tensor<i32>, tensor<16xf32>, tensor<16xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %right = spmd.exchange %x [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [2 + i*16 : 16 wrap] : (tensor<16xf32>) -> tensor<16xf32>
      %sum = stablehlo.add %right, %c : tensor<16xf32>
      %device = spmd.axis_index {"x"} on @m : tensor<i32>
      %block = stablehlo.constant dense<16> : tensor<i32>
      %first = stablehlo.multiply %device, %block : tensor<i32>
      %firsts = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> tensor<16xi32>
      %index = stablehlo.iota dim = 0 : tensor<16xi32>
      %position = stablehlo.add %index, %firsts : tensor<16xi32>
      %number = stablehlo.convert %position : (tensor<16xi32>) -> tensor<16xf32>
      %next = stablehlo.add %sum, %number : tensor<16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next, %c : tensor<i32>, tensor<16xf32>, tensor<16xf32>
    }
    return %0#1 : tensor<16xf32>
  }

  // What a device knows of itself alone can't be computed for its neighbour.
  // CHECK-LABEL: func.func @own(
  // CHECK:       spmd.exchange {{.*}} [-1 + i*16 : 16]
  // REMARK: NotDeepened{{.*}}spmd.exchange stays in each trip: it depends on a value that differs between devices along axis 'x' and is not laid out over it
  func.func @own(%arg0: tensor<16xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<16xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<16xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %left = spmd.exchange %x [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*16 : 16] : (tensor<16xf32>) -> tensor<16xf32>
      %device = spmd.axis_index {"x"} on @m : tensor<i32>
      %number = stablehlo.convert %device : (tensor<i32>) -> tensor<f32>
      %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %next = stablehlo.add %left, %numbers : tensor<16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<16xf32>
    }
    return %0#1 : tensor<16xf32>
  }

  // A splat that one op reads along the rows and another along a dimension of its own.
  // CHECK-LABEL: func.func @twice(
  // CHECK:       spmd.exchange {{.*}} [-1 + i*16 : 16]
  // REMARK: NotDeepened{{.*}}spmd.exchange stays in each trip: two of its readers disagree on the dimensions of a value
  func.func @twice(%arg0: tensor<16xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}, %arg1: tensor<16xf32>) -> tensor<16xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<16xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %two = stablehlo.constant dense<2.0> : tensor<16xf32>
      %left = spmd.exchange %x [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*16 : 16] : (tensor<16xf32>) -> tensor<16xf32>
      %scaled = stablehlo.multiply %left, %two : tensor<16xf32>
      %dot = stablehlo.dot_general %arg1, %two, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
      %dots = stablehlo.broadcast_in_dim %dot, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %columns = stablehlo.broadcast_in_dim %two, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
      %rows = stablehlo.broadcast_in_dim %scaled, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
      %square = stablehlo.multiply %rows, %columns : tensor<16x16xf32>
      %none = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%square init: %none) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
      %next = stablehlo.add %sum, %dots : tensor<16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<16xf32>
    }
    return %0#1 : tensor<16xf32>
  }

  // A block turned round is not the ghost zone turned round.
  // CHECK-LABEL: func.func @turned(
  // CHECK:       spmd.exchange {{.*}} [-1 + i*16 : 16]
  // REMARK: NotDeepened{{.*}}spmd.exchange stays in each trip: it depends on stablehlo.reverse, which does not map positions to positions
  func.func @turned(%arg0: tensor<16xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<16xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<16xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %left = spmd.exchange %x [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*16 : 16] : (tensor<16xf32>) -> tensor<16xf32>
      %next = stablehlo.reverse %left, dims = [0] : tensor<16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<16xf32>
    }
    return %0#1 : tensor<16xf32>
  }

  // The loop ends where the data says.
  // CHECK-LABEL: func.func @until(
  // CHECK:       spmd.exchange {{.*}} [-1 + i*16 : 16]
  // REMARK: NotDeepened{{.*}}spmd.exchange stays in each trip: the trips of the loop are not known, or too many
  func.func @until(%arg0: tensor<16xf32> {spmd.global_type = tensor<64xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}, %arg1: tensor<i32>) -> tensor<16xf32> {
    %0:2 = stablehlo.while(%i = %arg1, %x = %arg0) : tensor<i32>, tensor<16xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %left = spmd.exchange %x [64] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*16 : 16] : (tensor<16xf32>) -> tensor<16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %left : tensor<i32>, tensor<16xf32>
    }
    return %0#1 : tensor<16xf32>
  }

  // Where launches outweigh the work on ghost zones, by how much decides the depth.
  // REMARK: Deepened{{.*}}1 exchanges in each of 100 trips, {{.*}} bytes and {{.*}} us; every {{[0-9]+}} trips {{.*}} us, with the work that is done twice
  func.func @long(%arg0: tensor<65536xf32> {spmd.global_type = tensor<262144xf32>, spmd.sharding = #spmd.sharding<@m, [{"x"}]>}) -> tensor<65536xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<65536xf32>
    cond {
      %n = stablehlo.constant dense<100> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %left = spmd.exchange %x [262144] from <@m, [{"x"}]> to <@m, [{"x"}]> [-1 + i*65536 : 65536] : (tensor<65536xf32>) -> tensor<65536xf32>
      %next = stablehlo.add %left, %x : tensor<65536xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<65536xf32>
    }
    return %0#1 : tensor<65536xf32>
  }
}
