#!/usr/bin/env python3
"""Is Subfloor faster than jaxlib on these programs? Both in one run on this machine, results checked first.

  ./dev bench [FILE...]    default: ../shared/corpus/programs

Prints compile and run times (medians, milliseconds, measured in each process) and the ratios Subfloor / jaxlib, less than 1 is faster.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/oracle"))

import compare
import rival

REPEAT = int(os.environ.get("SUBFLOOR_BENCH_REPEAT", "20"))


def subfloor_times(source, folder):
    command = [compare.TOOL, "run", source, f"--inputs={folder}", f"--outputs={folder}/out", f"--repeat={REPEAT}"]
    output = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=True).stdout
    compiled = float(re.search(r"compiled in ([\d.]+) ms", output).group(1))
    ran = float(re.search(r"median of \d+ runs: ([\d.]+) us", output).group(1))
    return compiled, ran / 1e3


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(compare.CORPUS.glob("*.hlo"))
    print(f"{'program':<46} {'compile':>9} {'jaxlib':>9} {'ratio':>6} {'run':>10} {'jaxlib':>10} {'ratio':>6}")
    totals = [0.0, 0.0]
    for path in files:
        right, message = compare.compare(path)
        if not right:
            print(f"{path.stem[:46]:<46} not timed: {message}", flush=True)
            continue
        text = subprocess.run([compare.TOOL, "opt", path, "--print=large"], capture_output=True, text=True, check=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "program.hlo")
            source.write_text(text)
            theirs = rival.Program(text)
            inputs = theirs.random_inputs()
            for i, value in enumerate(inputs):
                np.save(f"{folder}/in{i}.npy", rival.widen(value))
            ours_compile, ours_run = subfloor_times(source, folder)
            theirs_compile = theirs.compile_seconds * 1e3
            theirs_run = theirs.median_seconds(inputs, REPEAT) * 1e3
        totals[0] += ours_compile
        totals[1] += theirs_compile
        print(f"{path.stem[:46]:<46} {ours_compile:9.1f} {theirs_compile:9.1f} {ours_compile / theirs_compile:6.2f} "
              f"{ours_run:10.4f} {theirs_run:10.4f} {ours_run / theirs_run:6.2f}", flush=True)
    if totals[1]:
        print(f"compile time of all: {totals[0]:.0f} ms, jaxlib {totals[1]:.0f} ms, ratio {totals[0] / totals[1]:.2f}")


if __name__ == "__main__":
    main()
