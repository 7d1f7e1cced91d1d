"""The programs of a folder."""
import fnmatch
import glob
import os
import sys


def find_programs(folder, patterns):
    """Paths of the StableHLO texts of `folder` whose names match one of `patterns` (none: all), sorted."""
    paths = sorted(glob.glob(os.path.join(folder, "*.mlir")))
    if not paths:
        sys.exit(f"{os.path.basename(sys.argv[0])}: no .mlir file in {folder}")
    return [path for path in paths
            if any(fnmatch.fnmatch(get_name(path), pattern) for pattern in patterns or ["*"])]


def get_name(path):
    return os.path.basename(path)[:-len(".mlir")]
