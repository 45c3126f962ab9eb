#!/usr/bin/env python3
"""Holds launch plans against those of XLA:GPU for the corpus' fusions, and prints every difference.

usage: against_xla_plans.py [--subfloor=BINARY] [--corpus=FOLDER] [--target=h100] [--least=PERCENT]

Compared are the files that XLA compiled as they stand ("ok", mode "exact") and that no Triton stamp takes: kind, as the
emitter's ops give it away, grid and block. Exit code 0 when kinds agree and at least PERCENT of the plans are equal, 77
where the corpus is absent."""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def kind_of(kernel):
    """The kind that the ops of an emitter's own output imply: only reductions shuffle, only transposes allocate shared
    memory without shuffling, only scatters update atomically. Else None: loops and what looks like them."""
    ops = {name.strip() for name in kernel["emitter_ir"] or {}}
    if "xla_gpu.shuffle_reduce" in ops:
        return "reduction"
    if "xla_gpu.allocate_shared" in ops:
        return "transpose"
    if "xla.atomic_rmw" in ops:
        return "scatter"
    return None


def triple(text):
    return [int(part) for part in text.split(",")]


def explain(binary, path, target):
    done = subprocess.run([binary, "explain", path, "--target=" + target, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    fusions = json.loads(done.stdout)["fusions"]
    return (fusions[0], "") if len(fusions) == 1 else (None, f"{len(fusions)} fusions")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subfloor", default=os.path.join(ROOT, "build", "bin", "subfloor"))
    parser.add_argument("--corpus", default=os.path.join(ROOT, "..", "shared", "corpus"))
    parser.add_argument("--target", default="h100")
    parser.add_argument("--least", type=float, default=90)
    arguments = parser.parse_args()
    answers = os.path.join(arguments.corpus, "xla_gpu_h100.json")
    if not os.path.exists(answers):
        print(f"[SKIP] no corpus at {arguments.corpus}")
        return 77
    compared = equal = wrong_kinds = 0
    for name, answer in sorted(json.load(open(answers)).items()):
        kernels = [kernel for kernel in answer["kernels"] if kernel["grid"]]
        if not answer["ok"] or answer["mode"] != "exact" or len(kernels) != 1:
            continue
        fusion, problem = explain(arguments.subfloor, os.path.join(arguments.corpus, "fusions", name), arguments.target)
        if fusion is None:
            print(f"{name}: {problem}")
            compared += 1
            continue
        if fusion["emitter"] == "triton":
            continue
        compared += 1
        kind = kind_of(kernels[0])
        if kind not in (None, fusion["kind"]) or (kind is None and fusion["kind"] in ("reduction", "transpose")):
            wrong_kinds += 1
            print(f"{name}: kind {fusion['kind']}, XLA's is {kind or 'loop-like'}")
        launch = fusion["launch"] or {"grid": None, "block": None, "shared_bytes": None}
        theirs = triple(kernels[0]["grid"]), triple(kernels[0]["threads"])
        if (launch["grid"], launch["block"]) == theirs:
            equal += 1
        else:
            print(f"{name}: {fusion['emitter']} grid {launch['grid']} block {launch['block']}, "
                  f"XLA's {theirs[0]} {theirs[1]}")
        if launch["shared_bytes"] != kernels[0]["static_smem"]:
            print(f"{name}: {fusion['emitter']} shared {launch['shared_bytes']} bytes, "
                  f"XLA's {kernels[0]['static_smem']}")
    percent = 100 * equal / compared
    print(f"{compared} fusions compared, {equal} plans equal ({percent:.1f} %), {wrong_kinds} kinds differ")
    return 0 if percent >= arguments.least and wrong_kinds == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
