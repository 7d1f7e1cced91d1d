# RUN: %python %s %src/bench/lib
"""The counter of collectives reads every form of HLO text that carries a group, a loop or a tuple."""
import sys

sys.path.insert(0, sys.argv[1])
import hlo_collectives

TEXT = """HloModule m, is_scheduled=true

%body (p: (s32[], f32[4,8])) -> (s32[], f32[4,8]) {
  %p = (s32[], f32[4,8]{1,0}) parameter(0)
  %x = f32[4,8]{1,0} get-tuple-element(%p), index=1
  %pad = f32[4,8]{1,0} collective-permute(%x), channel_id=1, source_target_pairs={{0,1},{1,0}}
  %stay = f32[4,8]{1,0} collective-permute(%x), channel_id=2, source_target_pairs={{0,0},{1,1}}
  ROOT %t = (s32[], f32[4,8]{1,0}) tuple(%i, %pad)
}

%condition (p.1: (s32[], f32[4,8])) -> pred[] {
  %p.1 = (s32[], /*index=1*/f32[4,8]{1,0}) parameter(0)
  ROOT %lt = pred[] compare(%a, %b), direction=LT
}

ENTRY %main (a: bf16[4,8], b: f32[4,8]) -> f32[4,8] {
  %a = bf16[4,8]{1,0} parameter(0)
  %b = f32[4,8]{1,0} parameter(1)
  %g = bf16[16,8]{1,0} all-gather(bf16[4,8]{1,0} %a), replica_groups=[2,4]<=[8], dimensions={0}
  %r = (f32[4,8]{1,0}, f32[4,8]{1,0}) all-reduce(%b, %b), replica_groups={{0,1},{2,3}}, to_apply=%add
  %s = f32[1,8]{1,0} reduce-scatter(%b), replica_groups=mesh['x'=2,'y'=4] {'y'}, dimensions={0}, to_apply=%add
  %one = f32[4,8]{1,0} all-reduce(%b), replica_groups=[8,1]<=[8], to_apply=%add
  %e = f32[4,8]{1,0} all-to-all(%b), replica_groups={}, dimensions={0}
  ROOT %w = (s32[], f32[4,8]{1,0}) while(%t), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"5"}}
}
"""

counter = hlo_collectives.Counter(TEXT, 8)
want = {"all-gather": [1, 64 * 3], "all-reduce": [1, 256], "reduce-scatter": [1, 96], "all-to-all": [1, 112],
        "collective-permute": [5, 5 * 128]}
assert counter.collectives == want, counter.collectives
assert counter.unknown_loops == 0 and counter.launches == 9 and counter.sent_bytes == sum(sent for _, sent in want.values())

# For TPU one collective lies in the fusions that start it and end it, and a scatter is a fusion of its own.
FUSED = """HloModule m, is_scheduled=true

%start (p.0: f32[4,8]) -> f32[8,8] {
  %p.0 = f32[4,8]{1,0:T(8,128)} parameter(0)
  ROOT %g.0 = f32[8,8]{1,0:T(8,128)S(1)} all-gather(%p.0), channel_id=18, replica_groups={{0,1},{2,3}}, dimensions={0}
}

%done (p.1: f32[4,8]) -> f32[8,8] {
  %p.1 = f32[4,8]{1,0:T(8,128)} parameter(0)
  ROOT %g.1 = f32[8,8]{1,0:T(8,128)} all-gather(%p.1), channel_id=18, replica_groups={{0,1},{2,3}}, dimensions={0}
}

%all-reduce-scatter.1 (p.2: f32[8,8]) -> f32[4,8] {
  %p.2 = f32[8,8]{1,0:T(8,128)} parameter(0)
  %r = f32[8,8]{1,0:T(8,128)} all-reduce(%p.2), channel_id=2, replica_groups={{0,1},{2,3}}, to_apply=%add
  ROOT %d = f32[4,8]{1,0:T(8,128)} dynamic-slice(%r, %i, %z), dynamic_slice_sizes={4,8}
}

ENTRY %main (a: f32[4,8]) -> f32[4,8] {
  %a = f32[4,8]{1,0:T(8,128)} parameter(0)
  %f.0 = f32[8,8]{1,0:T(8,128)} fusion(%a), kind=kCustom, calls=%start
  %f.1 = f32[8,8]{1,0:T(8,128)} fusion(%a), kind=kCustom, calls=%done
  ROOT %f.2 = f32[4,8]{1,0:T(8,128)} fusion(%f.1), kind=kCustom, calls=%all-reduce-scatter.1
}
"""
fused = hlo_collectives.Counter(FUSED, 4).collectives
assert fused == {"all-gather": [1, 128], "reduce-scatter": [1, 128]}, fused
