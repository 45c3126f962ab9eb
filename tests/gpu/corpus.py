#!/usr/bin/env python3
"""Runs the corpus' fusions on a simulated device and holds their results against the evaluator's.

usage: corpus.py [--subfloor=BINARY] [--corpus=FOLDER] [--target=sim:h100] [--seconds=S]

Each file is compiled and run as the command line does it, the shortest texts first, until S seconds are over (default:
what SUBFLOOR_CORPUS_SECONDS says, else 30). Prints what does not agree, what is not supported, and how many agree. Exit
code 0 when nothing that ran disagrees or fails, 77 where the corpus is absent."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RIGHT, NOT_SUPPORTED = 0, 4  # exit codes of subfloor
LONGEST = 20  # seconds; the two largest take longer, in the kernel or in the evaluator


def run(arguments, path, scratch):
    """What became of one file, "agrees" at best, and the words of it that say why."""
    command = [arguments.subfloor, "run", path, "--target=" + arguments.target, "--compare=evaluator", "--rtol=1e-3",
               "--atol=1e-3", "--outputs=" + scratch]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "takes too long", f"more than {LONGEST} s"
    if done.returncode == RIGHT:
        return "agrees", ""
    said = (done.stdout + done.stderr).strip()
    return ("not supported" if done.returncode == NOT_SUPPORTED else "wrong"), said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subfloor", default=os.path.join(ROOT, "build", "bin", "subfloor"))
    parser.add_argument("--corpus", default=os.path.join(ROOT, "..", "shared", "corpus"))
    parser.add_argument("--target", default="sim:h100")
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SUBFLOOR_CORPUS_SECONDS", "30")))
    arguments = parser.parse_args()
    folder = os.path.join(arguments.corpus, "fusions")
    if not os.path.isdir(folder):
        print(f"[SKIP] no corpus at {arguments.corpus}")
        return 77
    files = sorted((os.path.join(folder, name) for name in os.listdir(folder)),
                   key=lambda path: (os.path.getsize(path), path))
    counts = {"agrees": 0, "not supported": 0, "takes too long": 0, "wrong": 0}
    end = time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory() as scratch:
        for path in files:
            if time.monotonic() > end:
                break
            became, why = run(arguments, path, scratch)
            counts[became] += 1
            if became != "agrees":
                print(f"{os.path.basename(path)}: {became}: {why}")
    ran = sum(counts.values())
    print(f"{ran} of {len(files)} fusions ran, {counts['agrees']} agree, {counts['not supported']} not supported, "
          f"{counts['takes too long']} took too long, {counts['wrong']} wrong")
    return 0 if counts["wrong"] == 0 and counts["agrees"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
