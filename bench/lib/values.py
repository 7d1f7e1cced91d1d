"""Inputs and results: what a program takes, random values for it, and whether two results are equal."""
import re

import ml_dtypes
import numpy as np

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_,
          "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16,
          "ui32": np.uint32, "ui64": np.uint64, "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def make_input(text, generator, positive=False):
    """A random value of a tensor type: normals, or small integers, which are valid indices. Arrays of two dimensions and
    more are scaled as weights are when a model is made, so that deep programs stay well conditioned. `positive`: floats
    are above zero, for programs that take roots of an input (states of optimisers, variances)."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)([^x].*)>", text)
    shape = tuple(int(size) for size in match.group(1).split("x") if size)
    dtype = np.dtype(DTYPES[match.group(2)])
    if dtype == np.bool_:
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return generator.integers(0, 5, shape).astype(dtype)
    if dtype.kind == "c":
        return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
    wide = np.float64 if dtype == np.float64 else np.float32
    scale = wide(shape[-2] ** -0.5 if len(shape) >= 2 and shape[-2] else 1)
    array = generator.standard_normal(shape, dtype=wide) * scale
    return (np.abs(array) if positive else array).astype(dtype)


def save(path, arrays):
    """As np.savez; bfloat16 goes as its bits, which NumPy cannot name."""
    np.savez(path, **{f"arr_{i}": array.view(np.dtype("V2")) if array.dtype == ml_dtypes.bfloat16 else array
                      for i, array in enumerate(arrays)})


def load(path, likes):
    with np.load(path) as file:
        arrays = [file[f"arr_{i}"] for i in range(len(likes))]
    return [array.view(like.dtype) if array.dtype.kind == "V" else array for array, like in zip(arrays, likes)]


def get_tolerance(dtype):
    if dtype in (np.float64, np.complex128):
        return 1e-10
    return 1e-4 if dtype in (np.float32, np.complex64) else 2e-2


def find_difference(want, got):
    """"" if equal: integers and NaN positions identical, floats within the tolerance of the largest result."""
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.dtype.kind in "iub":
        wrong = int((want != got).sum())
        return f"{wrong} of {want.size} integers differ" if wrong else ""
    if want.dtype.kind == "V" or want.dtype.itemsize < 4:
        want, got = want.astype(np.float32), got.astype(np.float32)
        tolerance = 2e-2
    else:
        tolerance = get_tolerance(want.dtype)
    nan = np.isnan(want)
    if not np.array_equal(nan, np.isnan(got)):
        return "NaN at other places"
    size = np.abs(want)
    scale = np.max(size, initial=0, where=np.isfinite(size))
    with np.errstate(invalid="ignore"):
        difference = np.atleast_1d(np.abs(want - got))
    difference[np.atleast_1d(nan | (want == got))] = 0
    worst = float(np.max(difference, initial=0))
    return "" if worst <= tolerance * scale else f"differ by {worst:.3g}, largest is {scale:.3g}"
