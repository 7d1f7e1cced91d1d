"""Whether two compiled HLO modules are one program: a digest of the text that names and order do not enter.

An instruction is known by its type, op, attributes and what its operands are; a computation by its instructions. What XLA
keeps for its readers (metadata, shardings) and numbers of channels do not count. Needs nothing but Python.
"""
import hashlib
import re

import hlo_collectives

NAME = re.compile(r"%[\w.\-]+")
IGNORED = re.compile(r"/\*index=\d+\*/|, channel_id=\d+|, (?:metadata|frontend_attributes|sharding|origin)=\{(?:[^{}]|\{[^{}]*\})*\}")


def hash_text(text):
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def digest(text):
    """Of a module's text, in which what is used stands before its users, as XLA prints it."""
    computations, instructions, entry = {}, None, None

    def find(use):
        return instructions.get(use.group()) or computations.get(use.group(), use.group())

    for line in text.splitlines():
        if found := hlo_collectives.HEAD.match(line):
            name, is_entry, instructions = "%" + found.group(2), bool(found.group(1)), {}
        elif line.startswith("}") and instructions is not None:
            computations[name] = hash_text(" ".join(sorted(instructions.values())))
            entry = computations[name] if is_entry else entry
            instructions = None
        elif instructions is not None and (found := hlo_collectives.INSTRUCTION.match(line)):
            body = NAME.sub(find, IGNORED.sub("", found.group(2)))
            instructions["%" + found.group(1)] = hash_text(body)
    return entry
