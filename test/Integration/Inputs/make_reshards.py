"""Prints a program that moves arrays through random shardings.

usage: make_reshards.py SEED RESULTS [iota|swapped|listed]

Each result is an argument plus small numbers, constrained to another sharding after each
addition, so that a wrong reshard changes it. The mesh has the devices in their order, in
an order that is an iota transposed, or in one of no pattern.
"""
import random
import sys

AXES = {"x": 4, "y": 2}
PARTS = {"x": [('"x"', 4), ('"x":(1)2', 2), ('"x":(2)2', 2)], "y": [('"y"', 2)]}
ORDERS = {"iota": "", "swapped": ", device_ids=[0, 4, 1, 5, 2, 6, 3, 7]", "listed": ", device_ids=[3, 1, 4, 0, 5, 7, 2, 6]"}
SHAPES = [(8, 8), (16, 4, 2), (10, 6), (3, 8), (5, 7, 4), (24,), (13,)]


def sharding(rng, rank):
    """Random axes, each whole or in one or both halves, dealt to the dimensions."""
    refs = []
    for axis in AXES:
        choice = rng.random()
        if choice < 0.5:
            refs.append(PARTS[axis][0][0])
        elif choice < 0.75 and len(PARTS[axis]) > 1:
            refs += [ref for ref, _ in rng.sample(PARTS[axis][1:], rng.choice([1, 2]))]
    rng.shuffle(refs)
    dims = [[] for _ in range(rank)]
    for ref in refs:
        dims[rng.randrange(rank)].append(ref)
    # Neighbouring halves of an axis in their order are the whole axis.
    text = ["{" + ", ".join(dim).replace('"x":(1)2, "x":(2)2', '"x"') + "}" for dim in dims]
    return f"<@mesh, [{', '.join(text)}]>"


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    order = ORDERS[sys.argv[3] if len(sys.argv) > 3 else "iota"]
    types, body = [], []
    for i in range(count):
        shape = rng.choice(SHAPES)
        types.append("tensor<" + "x".join(map(str, shape)) + "xf32>")
        value = f"%a{i}"
        for step in range(rng.randint(2, 4)):
            body.append(f"    %s{i}_{step} = sdy.sharding_constraint {value} {sharding(rng, len(shape))} : {types[i]}")
            body.append(f"    %c{i}_{step} = stablehlo.constant dense<{rng.randint(1, 9)}.0> : {types[i]}")
            body.append(f"    %v{i}_{step} = stablehlo.add %s{i}_{step}, %c{i}_{step} : {types[i]}")
            value = f"%v{i}_{step}"
        body.append(f"    %r{i} = sdy.sharding_constraint {value} {sharding(rng, len(shape))} : {types[i]}")
    replicated = lambda type: "{sdy.sharding = #sdy.sharding<@mesh, [" + ", ".join(["{}"] * type.count("x")) + "]>}"
    arguments = ", ".join(f"%a{i}: {type} {replicated(type)}" for i, type in enumerate(types))
    print("module @reshards attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {")
    print(f"  sdy.mesh @mesh = <[{', '.join(f'{chr(34)}{n}{chr(34)}={s}' for n, s in AXES.items())}]{order}>")
    print(f"  func.func public @main({arguments}) -> ({', '.join(f'{type} {replicated(type)}' for type in types)}) {{")
    print("\n".join(body))
    print(f"    return {', '.join(f'%r{i}' for i in range(count))} : {', '.join(types)}")
    print("  }\n}")


if __name__ == "__main__":
    main()
