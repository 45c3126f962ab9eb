#!/usr/bin/env python3
"""Is Subfloor faster than jaxlib on these programs? Both in one run on this machine, results checked first.

  ./dev bench [FILE...]    default: ../shared/corpus/programs

Prints compile and run times (medians, milliseconds, measured in each process) and the ratios Subfloor / jaxlib, less than 1 is
faster; then the sums, how many programs are far slower, and how fast the parser reads.
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


def code_times(source):
    """Kernels that were compiled, and the milliseconds of processor time that making their code took in a fresh process."""
    output = subprocess.run([compare.TOOL, "compile", source], capture_output=True, text=True, timeout=1200, check=True).stdout
    kernels = int(re.search(r"(\d+) distinct", output).group(1))
    time = re.search(r"processor time for code +([\d.]+) ms", output)
    return kernels, float(time.group(1)) if time else 0.0


class Row:
    """Times of one program in milliseconds, ours and jaxlib's."""

    def __init__(self, path):
        text = subprocess.run([compare.TOOL, "opt", path, "--print=large"], capture_output=True, text=True, check=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "program.hlo")
            source.write_text(text)
            theirs = rival.Program(text)
            inputs = theirs.random_inputs()
            for i, value in enumerate(inputs):
                np.save(f"{folder}/in{i}.npy", rival.widen(value))
            self.compile, self.run = subfloor_times(source, folder)
            self.kernels, self.code_time = code_times(source)
            self.their_compile = theirs.compile_seconds * 1e3
            self.their_run = theirs.median_seconds(inputs, REPEAT) * 1e3


def parse_speeds():
    """Lines about the parser on the large texts of the corpus, where they and the measurement are there."""
    tool = ROOT / "build/bin/parse_speed"
    texts = sorted((compare.CORPUS.parent / "large").glob("*.hlo"))
    if not tool.exists() or not texts:
        return "[SKIP] speed of the parser: " + ("no large texts" if tool.exists() else "parse_speed is not built")
    lines = subprocess.run([tool, *texts], capture_output=True, text=True, check=True).stdout.splitlines()
    return "\n".join(f"parsing, one core: {pathlib.Path(line.split()[0]).stem[:46]:<46} {line.split(' ', 1)[1]}" for line in lines)


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(compare.CORPUS.glob("*.hlo"))
    print(f"{'program':<46} {'compile':>9} {'jaxlib':>9} {'ratio':>6} {'run':>10} {'jaxlib':>10} {'ratio':>6}")
    rows, untimed = [], 0
    for path in files:
        try:
            right, message = compare.compare(path)
            row = Row(path) if right else None
        except Exception as problem:  # whatever one program does, the others are measured
            row, message = None, f"{type(problem).__name__}: {(str(problem).strip().splitlines() or [''])[0][:200]}"
        if row is None:
            untimed += 1
            print(f"{path.stem[:46]:<46} not timed: {message}", flush=True)
            continue
        rows.append(row)
        print(f"{path.stem[:46]:<46} {row.compile:9.1f} {row.their_compile:9.1f} {row.compile / row.their_compile:6.2f} "
              f"{row.run:10.4f} {row.their_run:10.4f} {row.run / row.their_run:6.2f}", flush=True)
    if rows:
        ours, theirs = sum(row.compile for row in rows), sum(row.their_compile for row in rows)
        slow = sum(row.run > 10 * row.their_run for row in rows)
        faster = sum(row.run <= row.their_run for row in rows)
        print(f"compile time of all: {ours:.0f} ms, jaxlib {theirs:.0f} ms, ratio {ours / theirs:.2f}")
        kernels, code_time = sum(row.kernels for row in rows), sum(row.code_time for row in rows)
        print(f"code generation, a process each: {kernels} distinct kernels, {code_time / max(kernels, 1):.2f} ms of processor time a kernel")
        print(f"run time: {faster} of {len(rows)} at least as fast as jaxlib, {slow} slower than 10 times jaxlib; {untimed} not timed")
    print(parse_speeds())


if __name__ == "__main__":
    main()
