# RUN: %python %s %src
"""Names, order and what XLA keeps for its readers make no other program; groups, operands and constants do."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "bench", "lib"))
import hlo_digest

TEXT = """HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (x: f32[4]) -> (f32[4], f32[4]) {
  %x = f32[4]{0} parameter(0), sharding={devices=[2]<=[2]}
  %one = f32[4]{0} all-reduce(%x), channel_id=1, replica_groups={{0,1},{2,3}}, to_apply=%add, metadata={op_name="jit(f)/psum" stack_frame_id=3}
  %two = f32[4]{0} all-reduce(%x), channel_id=2, replica_groups={{0,1,2,3}}, to_apply=%add
  ROOT %both = (f32[4]{0}, f32[4]{0}) tuple(%one, %two)
}
"""
LINES = TEXT.splitlines(keepends=True)
one = next(i for i, line in enumerate(LINES) if "%one =" in line)
swapped = "".join(LINES[:one] + [LINES[one + 1], LINES[one]] + LINES[one + 2:])
renamed = TEXT.replace("%one", "%all-reduce.7").replace("%add", "%region_3.1").replace("channel_id=1", "channel_id=5")
bare = TEXT.replace(", sharding={devices=[2]<=[2]}", "").replace(', metadata={op_name="jit(f)/psum" stack_frame_id=3}', "")
for same in (swapped, renamed, bare):
    assert same != TEXT and hlo_digest.digest(same) == hlo_digest.digest(TEXT), same
for a, b in (("{{0,1},{2,3}}", "{{0,2},{1,3}}"), ("tuple(%one, %two)", "tuple(%two, %one)"), ("add(%a, %b)", "multiply(%a, %b)"),
             ("add(%a, %b)", "add(%a, %a)")):
    other = TEXT.replace(a, b)
    assert other != TEXT and hlo_digest.digest(other) != hlo_digest.digest(TEXT), other
