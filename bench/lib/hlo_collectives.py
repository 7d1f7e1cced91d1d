"""Collectives of compiled HLO text: how often each runs and what one device sends, in the ring model.

The text is read as computations of instructions. A loop's body counts as often as its known trip count, every branch of
a conditional once. Needs nothing but Python.
"""
import math
import re

BITS = {"pred": 8, "s2": 2, "u2": 2, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "s16": 16, "u16": 16, "f16": 16, "bf16": 16, "s32": 32,
        "u32": 32, "f32": 32, "s64": 64, "u64": 64, "f64": 64, "c64": 64, "c128": 128,
        "f8e5m2": 8, "f8e4m3": 8, "f8e4m3fn": 8, "f8e3m4": 8, "f8e8m0fnu": 8, "f4e2m1fn": 4}

# What one of `g` devices sends, as a share of the bytes of its operands.
SENT = {
    "all-gather": lambda g: g - 1,
    "all-reduce": lambda g: 2 * (g - 1) / g,
    "reduce-scatter": lambda g: (g - 1) / g,
    "all-to-all": lambda g: (g - 1) / g,
    "ragged-all-to-all": lambda g: (g - 1) / g,
    "collective-permute": lambda g: 1,
    "collective-broadcast": lambda g: 1,
}

HEAD = re.compile(r"^(ENTRY )?%?([\w.\-]+) .*\{$")
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = (.*)$")
ARRAY = re.compile(r"\b([a-z]\w*)\[([\d,]*)\]")
CALLED = re.compile(r"(?:to_apply|calls|called_computation|true_computation|false_computation)=%?([\w.\-]+)")


def count_bytes(type_text):
    """Bytes of a type: an array or a tuple of arrays."""
    total = 0
    for element, sizes in ARRAY.findall(type_text):
        if element in BITS:
            total += (BITS[element] * math.prod(int(size) for size in sizes.split(",") if size) + 7) // 8
    return total


def split_type(text):
    """The type at the beginning of an instruction, and the rest."""
    if not text.startswith("("):
        return text.split(" ", 1)
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[:i + 1], text[i + 2:]
    return text, ""


def split_call(text):
    """The op's name, the text between its parentheses, and what follows them."""
    opcode, rest = text.split("(", 1)
    depth = 1
    for i, letter in enumerate(rest):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return opcode.strip(), rest[:i], rest[i + 1:]
    return opcode.strip(), rest, ""


class Instruction:
    def __init__(self, text):
        self.type, rest = split_type(text)
        self.opcode, operands, self.attributes = split_call(rest)
        # Operands may be printed with their types; names are enough.
        self.operands = re.findall(r"%([\w.\-]+)", operands) or \
            [operand.split()[-1] for operand in operands.split(",") if operand.strip()]


def parse(text):
    """Computations by name, each a dictionary of instructions; the name of the entry."""
    computations, current, entry = {}, None, None
    for line in text.splitlines():
        line = re.sub(r"/\*.*?\*/", "", line).rstrip()
        head = HEAD.match(line)
        if head and not line.startswith("HloModule"):
            current = computations.setdefault(head.group(2), {})
            entry = head.group(2) if head.group(1) else entry
        elif current is not None and (found := INSTRUCTION.match(line)):
            current[found.group(1)] = Instruction(found.group(2))
    return computations, entry


def mesh_group_size(attributes):
    """Group size of the form mesh['a'=2,'b'=4] {'a','b':(1)2}; None if it is another form."""
    found = re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*(?:\([^)]*\))?\s*\{([^}]*)\}", attributes)
    if not found:
        return None
    sizes = {name: int(size) for name, size in re.findall(r"'?(\w+)'?=(\d+)", found.group(1))}
    group = 1
    for name, part in re.findall(r"'?([A-Za-z_]\w*)'?(?::\(\d+\)(\d+))?", found.group(2)):
        group *= int(part) if part else sizes[name]
    return group


def get_group_size(attributes, devices):
    group = mesh_group_size(attributes)
    if group is not None:
        return group
    if found := re.search(r"replica_groups=\[(\d+),(\d+)\]", attributes):
        return int(found.group(2))
    if found := re.search(r"replica_groups=\{\{([\d,]*)\}", attributes):
        return len(found.group(1).split(","))
    return devices


def moves_data(attributes):
    pairs = re.search(r"source_target_pairs=\{(.*?)\}\}", attributes)
    return bool(pairs) and any(source != target for source, target in re.findall(r"\{?(\d+),(\d+)", pairs.group(1)))


class Counter:
    """`collectives` maps a kind to [executions, bytes that one device sends]."""

    def __init__(self, text, devices):
        self.computations, entry = parse(text)
        self.devices = devices
        self.collectives = {}
        self.unknown_loops = 0
        self.visit(entry, 1)

    def visit(self, name, times, fused=None):
        """`fused`: channels of collectives in fusions that the caller has counted. XLA for TPU puts one collective into
        the fusions that start it, go on with it and end it."""
        computation = self.computations.get(name, {})
        channels = set() if fused is None else fused
        for instruction in computation.values():
            self.count(instruction, computation, times, name, fused)
            if instruction.opcode == "while":
                trips = re.search(r'known_trip_count"?:\s*\{"n":\s*"(\d+)"', instruction.attributes)
                self.unknown_loops += trips is None
                body = re.search(r"body=%?([\w.\-]+)", instruction.attributes).group(1)
                self.visit(body, times * (int(trips.group(1)) if trips else 1))
                # The condition runs once more than the body; XLA puts all-reduces of predicates there.
                condition = re.search(r"condition=%?([\w.\-]+)", instruction.attributes).group(1)
                self.visit(condition, times * (int(trips.group(1)) + 1 if trips else 1))
            elif instruction.opcode in ("call", "fusion", "conditional", "async-start"):
                branches = re.search(r"branch_computations=\{([^}]*)\}", instruction.attributes)
                names = re.findall(r"[\w.\-]+", branches.group(1)) if branches else []
                for called in names + CALLED.findall(instruction.attributes):
                    self.visit(called, times, channels if instruction.opcode == "fusion" else None)

    def count(self, instruction, computation, times, name, fused):
        kind = instruction.opcode.removesuffix("-start")
        if name.startswith("all-reduce-scatter") and kind == "all-reduce":
            kind = "reduce-scatter"   # TPU: a fusion of it and the slice behind it
        if kind not in SENT:
            return
        if fused is not None and (channel := re.search(r"channel_id=(\d+)", instruction.attributes)):
            if channel.group(1) in fused:
                return
            fused.add(channel.group(1))
        group = get_group_size(instruction.attributes, self.devices)
        if kind == "collective-permute":
            group = 2 if moves_data(instruction.attributes) else 1
        if group <= 1:
            return
        operands = [computation[name] for name in instruction.operands if name in computation]
        if kind == "ragged-all-to-all":
            operands = operands[:1]   # the others are its result's place and its sizes
        sent = sum(count_bytes(operand.type) for operand in operands) * SENT[kind](group)
        entry = self.collectives.setdefault(kind, [0, 0])
        entry[0] += times
        entry[1] += math.ceil(times * sent)

    @property
    def sent_bytes(self):
        return sum(sent for _, sent in self.collectives.values())

    @property
    def launches(self):
        return sum(count for count, _ in self.collectives.values())
