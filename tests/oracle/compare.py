#!/usr/bin/env python3
"""Runs HLO programs on Subfloor and on jaxlib with the same inputs and compares every output.

  compare.py [--large] [FILE...]   default: ../shared/corpus/programs, skipped with a word where that folder is absent

Programs with more than a GiB of inputs are run only with --large: they want 16 GiB of memory and minutes.

What agreement means stands in docs/numerics.md: where the program can be widened to f64 (f32, if it is large and its results
are of 16 bits), the widened run is the truth, and our error against it may be twice jaxlib's plus 4 units in the last place,
by maximum and by root mean square; elsewhere (bit tricks on floats) the two results are compared directly, by the same
measure against jaxlib's. Integers and pred must be equal.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import rival

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "build/bin/subfloor"
CORPUS = ROOT.parent / "shared/corpus/programs"
# An adaptive ODE solver: the step size follows from the error estimate, so that a last-place difference in one step moves all
# later ones, in either direction. Truth's own steps differ from both.
ADAPTIVE = {"diffrax.b380012920": 8}
DIRECT_SLACK = 64  # ulp, where jaxlib's own result is all there is to compare with
LARGE = 1 << 30
TIMEOUT = 3600  # seconds: for the largest programs, on a busy machine
LARGEST_WIDENED = 1 << 29  # bytes of inputs: beyond that there is no memory for a run in f64


def widened(text, to):
    """The program with every float an f64, or, with to="f32", every 16-bit float an f32. None where it looks at the bits of
    floats."""
    if "bitcast-convert" in text or "reduce-precision" in text or "rng" in text:
        return None
    return re.sub(r"\b(?:bf16|f16|f32)\[", f"{to}[", text)


def is_float(dtype):
    return dtype.kind == "f" or dtype.name == "bfloat16"


def mantissa_bits(dtype):
    return {"float64": 52, "float32": 23, "bfloat16": 7, "float16": 10}.get(dtype.name, 23)


def errors_in_ulp(actual, truth, bits):
    """Maximum and root mean square error in units in the last place of a type of so many mantissa bits."""
    actual, truth = np.asarray(actual, np.float64), np.asarray(truth, np.float64)
    same = (actual == truth) | (np.isnan(actual) & np.isnan(truth))
    if not actual.size or same.all():
        return 0.0, 0.0
    with np.errstate(all="ignore"):
        # An element much smaller than the largest is what cancellation left over: its error is measured in units of the
        # largest times 2^-(half of the mantissa).
        largest = np.nanmax(np.where(np.isfinite(truth), np.abs(truth), 0))
        scale = np.maximum(np.abs(truth), largest * 2.0 ** -(bits // 2))
        ulp = np.maximum(2.0 ** np.floor(np.log2(np.maximum(scale, 1e-300))) * 2.0**-bits, 1e-300)
        error = np.where(same, 0, np.abs(actual - truth) / ulp)
    error = np.where(np.isfinite(error), error, np.inf)
    return float(error.max()), float(np.sqrt(np.mean(np.square(np.minimum(error, 1e150)))))


def run_subfloor(path, inputs, folder):
    for i, value in enumerate(inputs):
        np.save(f"{folder}/in{i}.npy", rival.widen(value))
    command = [TOOL, "run", path, f"--inputs={folder}", f"--outputs={folder}/out"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1] if done.stderr else ''}")
    count = len(list(pathlib.Path(folder, "out").glob("out*.npy")))
    return [np.load(f"{folder}/out/out{i}.npy") for i in range(count)]


def compare(path):
    """One line about one program, and whether it agrees."""
    # Fusions stamped for one back end's library are inlined: nobody else runs them.
    expanded = subprocess.run([TOOL, "opt", path, "--pass=inline-fusions", "--print=large"], capture_output=True, text=True, timeout=TIMEOUT)
    if expanded.returncode != 0:
        return False, expanded.stderr.strip()
    text = expanded.stdout
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "program.hlo")
        source.write_text(text)
        theirs = rival.Program(text)
        if theirs.input_bytes() > LARGE and "--large" not in sys.argv:
            return True, f"[SKIP] {theirs.input_bytes() >> 20} MiB of inputs; run with --large"
        inputs = theirs.random_inputs()
        expected = theirs.run(inputs)
        actual = run_subfloor(source, inputs, folder)
        if len(actual) != len(expected):
            return False, f"{len(actual)} outputs, jaxlib has {len(expected)}"
        truth, against = None, "truth"
        to = "f64"
        if sum(value.nbytes for value in inputs) >= LARGEST_WIDENED:
            # f32 is wide enough where all results are of 16 bits: its errors are 2^-13 of theirs, or less.
            to = "f32" if all(value.dtype.itemsize <= 2 for value in expected if is_float(value.dtype)) else None
            against = "truth in f32"
        wide = widened(text, to) if to else None
        if wide is not None:
            try:
                theirs = None  # its memory is wanted
                dtype = np.float64 if to == "f64" else np.float32
                truth = rival.Program(wide).run([v.astype(dtype) if is_float(v.dtype) else v for v in inputs])
            except Exception as problem:  # a type that does not widen: compare directly
                against = f"jaxlib ({str(problem).splitlines()[0][:40]})"
        if truth is None:
            truth, against = expected, "jaxlib"
        worst = 0.0
        for i, (ours, other, true) in enumerate(zip(actual, expected, truth)):
            if other.dtype.kind in "biu" and other.dtype.name != "bfloat16":
                wrong = int(np.sum(ours != rival.widen(other)))
                if wrong:
                    return False, f"out{i}: {wrong} of {other.size} {other.dtype.name} elements differ"
                continue
            bits = mantissa_bits(other.dtype)
            # Where both have errors of their own, a free order of sums may cost each some units.
            slack = DIRECT_SLACK if truth is expected else 0
            ours_max, ours_rms = errors_in_ulp(ours, true, bits)
            theirs_max, theirs_rms = errors_in_ulp(other.astype(np.float64), true, bits)
            worst = max(worst, ours_max)
            factor = ADAPTIVE.get(path.stem, 2)
            if ours_max > factor * theirs_max + 4 + slack or ours_rms > factor * theirs_rms + 4 + slack / 8:
                return False, (f"out{i}: error {ours_max:.3g} ulp (rms {ours_rms:.3g}), jaxlib's {theirs_max:.3g} "
                               f"(rms {theirs_rms:.3g}), against {against}")
        return True, f"{len(actual)} outputs agree, worst {worst:.3g} ulp against {against}"


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:] if name != "--large"] or sorted(CORPUS.glob("*.hlo"))
    if not files:
        print(f"[SKIP] no programs: {CORPUS} is absent")
        return 0
    failed = 0
    for path in files:
        try:
            right, message = compare(path)
        except Exception as problem:
            right, message = False, f"{type(problem).__name__}: {str(problem).strip()[:300]}"
        failed += not right
        print(f"{'ok    ' if right else 'FAILED'} {path.name}: {message}", flush=True)
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
