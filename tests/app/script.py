"""Runs tests of a script: the functions test_* that are named, or all of them. A test that returns SKIPPED was skipped."""
import os
import sys

SKIPPED = 77  # as ctest knows it


def shared(cases):
    """The share of a long test's cases that this run takes, as tests/share.h says."""
    which, of = map(int, os.environ.get("RINGSIDE_TEST_SHARE", "0/1").split("/"))
    return cases[which % of::of]


def run_tests(script, names):
    tests = {name: value for name, value in script.items() if name.startswith("test_")}
    results = []
    for name in names or tests:
        results.append(tests[name]())
        print("skipped:" if results[-1] == SKIPPED else "passed:", name)
    sys.exit(SKIPPED if results and all(result == SKIPPED for result in results) else 0)
