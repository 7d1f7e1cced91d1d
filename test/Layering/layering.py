# RUN: %python %s %src
# RUN: %python %s --self-test
"""Checks the layering of the design: who may include whom, where op names and
absolute paths may stand, how long files may grow. Prints each violation as
`file:line: what` and fails if there is one."""
import os
import re
import sys

DIALECTS = {"dialects/StableHLO", "dialects/CHLO", "dialects/Sdy",
            "dialects/Check", "dialects/SPMD"}

# What each part may include directly; what those may include follows. A part is
# the longest of these names that begins the file's path (include/partita/X and
# lib/X are one part). "Runtime/ABI.h" is a part of its own: the header alone.
MAY_INCLUDE = {
    "Support": set(),
    "dialects/StableHLO": {"Support"},
    # CHLO's ops share element types, traits and shape inference with StableHLO's.
    "dialects/CHLO": {"Support", "dialects/StableHLO"},
    "dialects/Sdy": {"Support"},
    "dialects/Check": {"Support"},
    "dialects/SPMD": {"Support"},
    "Sharding": {"dialects/SPMD"},
    "Building": {"dialects/StableHLO", "dialects/CHLO", "Sharding"},
    "OpModels": {"Building"},
    "Transforms": {"Building"},
    "Transforms/Fold": {"Building", "Evaluator"},
    # What propagation and placement say of their work, told.
    "Report": {"Transforms"},
    "Import": DIALECTS | {"Sharding"},
    "Evaluator": DIALECTS | {"Sharding", "Support"},
    "Conversion": DIALECTS | {"Sharding"},
    # What conversions tell the runtime: its numbers are the ABI's.
    "Conversion/RuntimeDescriptor.h": {"Runtime/ABI.h"},
    "Conversion/SPMDToRuntime": {"Conversion", "Conversion/RuntimeDescriptor.h"},
    "Conversion/StableHLOToLinalg": {"Conversion", "Conversion/RuntimeDescriptor.h"},
    "Target": {"Conversion", "Runtime/ABI.h"},
    # The JIT's devices are threads of this process: it makes their world.
    "Target/CPU": {"Target", "Runtime"},
    # Devices are cards: it makes their world.
    "Target/GPU": {"Target", "Runtime"},
    "Runtime/ABI.h": set(),
    "Runtime": {"Runtime/ABI.h", "Support"},
    "Pipelines": {"Report", "OpModels", "Transforms", "Transforms/Fold", "Import",
                  "Evaluator", "Conversion", "Target", "Runtime"} | DIALECTS,
    "CAPI": {"Pipelines"},
    "tools": {"Pipelines"},
}

LONGEST = 600
# Files that are tables; the limit is for code.
TABLES = set()
ABSOLUTE_PATHS = {"/usr/local/cuda"}  # where the CUDA toolkit installs itself
BANNED_NAMES = re.compile(r"(Utils?|Helpers?|Common|Misc|Manager)\.(h|cpp|td)$")

INCLUDE = re.compile(r'^\s*#?\s*include\s+"([^"]+)"')
OP_NAME = re.compile(r"\bstablehlo::[A-Z]\w*Op\b")
ABSOLUTE = re.compile(r"""(?:^|["'\s(=:])(/(?:work|home|root|tmp|Users|usr|opt|var)(?:/[\w.+-]+)+)""")
REGISTERS = re.compile(r"\bregister(All)?OpModels\s*\(")


def reachable(part):
    """All parts that `part` may include."""
    found, pending = set(), [part]
    while pending:
        for other in MAY_INCLUDE[pending.pop()]:
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def part_of(path):
    """The part that a file or an include path belongs to; None: not ours."""
    if path.startswith("include/partita-c/"):
        return "CAPI"
    for prefix in ("include/partita/", "lib/", "partita/"):
        if path.startswith(prefix):
            path = path[len(prefix):]
            break
    else:
        if path.startswith("partita-c/"):
            return "CAPI"
        if not path.startswith(("dialects/", "tools/")):
            return None
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in MAY_INCLUDE:
            return "/".join(parts[:length])
    return None


def within(part, other):
    """True if `other` is `part` or lies in the same folder of lib/."""
    return part == other or other.startswith(part + "/") or part.startswith(other + "/")


def check_include(path, part, include):
    if include.startswith(("mlir/", "llvm/", "mlir-c/", "llvm-c/")) or "/" not in include:
        return None
    if ".." in include.split("/"):
        include = os.path.normpath(os.path.join(os.path.dirname(path), include))
    other = part_of(include)
    if other is None:
        return f'includes "{include}", which is no part of the design'
    if within(part, other):
        return None
    allowed = reachable(part)
    if not any(other == name or other.startswith(name + "/") for name in allowed):
        return f'{part} may not include {other} ("{include}")'
    return None


def check_file(path, text):
    """Yields (line, what) for each violation in one file."""
    part = part_of(path)
    if part is None:
        yield 1, "the file lies in no folder of the design"
        return
    lines = text.split("\n")
    if len(lines) - 1 > LONGEST and path not in TABLES:
        yield len(lines), f"{len(lines) - 1} lines; split the file by meaning"
    if BANNED_NAMES.search(path):
        yield 1, "name the file after the idea in it"
    may_register = part in ("OpModels", "Pipelines", "CAPI", "tools")
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            fault = check_include(path, part, include.group(1))
            if fault:
                yield number, fault
        if part.startswith("Transforms") and OP_NAME.search(line):
            yield number, "passes name no StableHLO op: knowledge of an op is in lib/OpModels"
        for absolute in ABSOLUTE.findall(line):
            if absolute not in ABSOLUTE_PATHS:
                yield number, f"absolute path {absolute}"
        if not may_register and REGISTERS.search(line):
            yield number, "only tools and the C API register op models"


def check_tree(root):
    count = 0
    for top in ("dialects", "lib", "include", "tools"):
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(files):
                if not name.endswith((".h", ".cpp", ".c", ".td")):
                    continue
                full = os.path.join(folder, name)
                path = os.path.relpath(full, root)
                with open(full, encoding="utf-8") as file:
                    for line, what in check_file(path, file.read()):
                        print(f"{path}:{line}: {what}")
                        count += 1
    return count


def self_test():
    """Each kind of violation is found, and its lawful neighbour is not."""
    def faults(path, text):
        return len(list(check_file(path, text)))

    bad = [
        ("lib/Sharding/A.cpp", '#include "dialects/StableHLO/StableHLO.h"'),
        ("lib/Evaluator/A.cpp", '#include "partita/Building/OpModel.h"'),
        ("lib/Transforms/Partition/A.cpp", '#include "partita/Evaluator/Tensor.h"'),
        ("lib/Transforms/Partition/A.cpp", "isa<stablehlo::AddOp>(op);"),
        ("dialects/StableHLO/A.td", 'include "dialects/CHLO/CHLOBase.td"'),
        ("dialects/SPMD/A.cpp", '#include "dialects/StableHLO/StableHLO.h"'),
        ("lib/Conversion/SPMDToStableHLO/A.cpp", '#include "partita/Runtime/ABI.h"'),
        ("lib/Target/XLA/A.cpp", '#include "partita/Runtime/World.h"'),
        ("lib/Runtime/A.cpp", '#include "dialects/SPMD/SPMD.h"'),
        ("lib/Import/A.cpp", "registerAllOpModels(registry);"),
        ("lib/Import/A.cpp", 'open("/home/me/x");'),
        ("lib/Import/Utils.cpp", ""),
        ("lib/Import/A.cpp", "\n" * (LONGEST + 1)),
        ("lib/Report/A.cpp", '#include "partita/Pipelines/Pipelines.h"'),
        ("lib/Transforms/Placement/A.cpp", '#include "partita/Report/Plan.h"'),
        ("lib/Elsewhere/A.cpp", ""),
    ]
    good = [
        ("lib/Sharding/A.cpp", '#include "dialects/SPMD/SPMD.h"'),
        ("lib/OpModels/A.cpp", '#include "dialects/StableHLO/StableHLO.h"'),
        ("lib/Transforms/Partition/A.cpp", '#include "partita/Transforms/Placement/Passes.h"'),
        ("lib/Transforms/Fold/A.cpp", '#include "partita/Evaluator/Tensor.h"'),
        ("lib/Report/A.cpp", '#include "partita/Transforms/Placement/PlacementObserver.h"'),
        ("lib/Target/CPU/A.cpp", '#include "partita/Runtime/ABI.h"'),
        ("lib/Target/CPU/A.cpp", '#include "partita/Conversion/Passes.h"'),
        ("tools/partita-opt/a.cpp", "registerAllOpModels(registry);"),
        ("tools/partita-fuzz/a.cpp", '#include "../partita-run/Compare.h"'),
        ("lib/Import/A.cpp", "// a / b, x/y\n" * LONGEST),
    ]
    wrong = [case for case in bad if not faults(*case)]
    wrong += [case for case in good if faults(*case)]
    for path, text in wrong:
        print(f"self-test: {path}: {text[:60]}")
    return len(wrong)


sys.exit(1 if (self_test() if sys.argv[1] == "--self-test" else check_tree(sys.argv[1])) else 0)
