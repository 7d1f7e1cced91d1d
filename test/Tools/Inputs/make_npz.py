"""Writes and prints .npz files with the standard library alone.

make_npz.py F.npz ARRAY...   ARRAY is dtype:shape:values, e.g. i4:2x3:arange,
                             f4:4:1,2,3,4 or i4::7 (a scalar); the options
                             --deflate and --cut=N (keep N bytes) come first
make_npz.py --print F.npz    one line per array: name dtype shape [values]
"""
import ast
import io
import struct
import sys
import zipfile

FORMATS = {"i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u4": "I",
           "u8": "Q", "f2": "e", "f4": "f", "f8": "d", "b1": "?"}


def make_npy(spec):
    dtype, dims, text = spec.split(":", 2)
    shape = [int(dim) for dim in dims.split("x") if dim]
    size = 1
    for dim in shape:
        size *= dim
    values = range(size) if text == "arange" else ast.literal_eval(f"[{text}]")
    kind = float if dtype[0] == "f" else int
    data = struct.pack(f"<{len(values)}{FORMATS[dtype]}", *map(kind, values))
    order = "|" if dtype[1] == "1" else "<"
    header = "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }" % (
        order, dtype, tuple(shape))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def write(arguments):
    method, cut = zipfile.ZIP_STORED, None
    while arguments[0].startswith("--"):
        option = arguments.pop(0)
        if option == "--deflate":
            method = zipfile.ZIP_DEFLATED
        else:
            cut = int(option.removeprefix("--cut="))
    path, *specs = arguments
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as members:
        for index, spec in enumerate(specs):
            members.writestr(f"arr_{index}.npy", make_npy(spec))
    with open(path, "wb") as file:
        file.write(archive.getvalue()[:cut])


def show(path):
    with zipfile.ZipFile(path) as members:
        for name in members.namelist():
            data = members.read(name)
            start = 10 + struct.unpack_from("<H", data, 8)[0]
            header = ast.literal_eval(data[10:start].decode())
            dtype = header["descr"]
            count = (len(data) - start) // int(dtype[2:])
            values = struct.unpack_from(f"<{count}{FORMATS[dtype[1:]]}", data, start)
            print(name.removesuffix(".npy"), dtype, list(header["shape"]), list(values))


if sys.argv[1] == "--print":
    show(sys.argv[2])
else:
    write(sys.argv[1:])
