#!/usr/bin/env python3
"""Runs every test of a build and counts them.

usage: run.py BUILD

Unit tests are the GoogleTest programs in BUILD/bin/unit; all others are lit tests.
The last line says how many passed and failed; exit status 1 if one failed.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time


def run_unit_tests(build):
    """Counts of the GoogleTest programs: passed, failed."""
    passed = failed = 0
    for program in sorted(glob.glob(os.path.join(build, "bin", "unit", "*"))):
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            status = subprocess.run([program, "--gtest_brief=1", f"--gtest_output=json:{report.name}"])
            try:
                with open(report.name) as file:
                    result = json.load(file)
                bad = result["failures"] + result.get("errors", 0)
                passed += result["tests"] - bad - result.get("disabled", 0)
                failed += bad
            except (ValueError, KeyError):   # it crashed before it could write
                bad = 0
            if status.returncode != 0 and bad == 0:
                print(f"{program}: exit status {status.returncode}")
                failed += 1
    return passed, failed


def run_lit(build):
    """Counts of lit's tests: passed, failed, skipped."""
    with open(os.path.join(build, "test", "lit.path")) as file:
        lit = file.read().strip()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([sys.executable, lit, "-sv", "-o", report.name, os.path.join(build, "test")])
        with open(report.name) as file:
            tests = json.load(file)["tests"]
    good = sum(test["code"] in ("PASS", "XFAIL", "FLAKYPASS") for test in tests)
    skipped = sum(test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED") for test in tests)
    return good, len(tests) - good - skipped, skipped


def main():
    build = os.path.abspath(sys.argv[1])
    start = time.time()
    unit_passed, unit_failed = run_unit_tests(build)
    lit_passed, lit_failed, skipped = run_lit(build)
    failed = unit_failed + lit_failed
    print(f"{time.time() - start:.0f} seconds; {unit_passed + unit_failed} unit tests, {lit_passed + lit_failed} lit tests")
    print(f"{unit_passed + lit_passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
