#!/usr/bin/env python3
"""What ./dev demo shows: ResNet-50 and a transformer block compiled, run and checked; then a classifier trained on real digits."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BIN = ROOT / "build/bin"
sys.path.insert(0, str(ROOT / "tests/oracle"))


def title(text):
    print(f"\n\033[1m{text}\033[0m", flush=True)


def tool(*arguments):
    subprocess.run([BIN / "subfloor", *arguments], check=True)


def check_against_jaxlib(path):
    import compare

    right, message = compare.compare(path)
    print(f"check against jaxlib: {'ok' if right else 'DIFFERENT'}: {message}", flush=True)
    return right


def train_on_digits():
    from sklearn.datasets import load_digits

    digits = load_digits()
    with tempfile.NamedTemporaryFile(suffix=".bin") as data:
        data.write(np.int32(len(digits.target)).tobytes())
        data.write((digits.data / 16).astype(np.float32).tobytes())
        data.write(digits.target.astype(np.int32).tobytes())
        data.flush()
        subprocess.run([BIN / "train_digits", HERE / "digits_train.hlo", HERE / "digits_predict.hlo", data.name, "400"],
                       check=True)


def main():
    right = True
    for name, words in (("resnet50", "ResNet-50, one 224 x 224 image"), ("transformer", "a transformer block, 128 x 512")):
        path = HERE / f"{name}.hlo"
        title(f"{words}: compile (examples/{name}.hlo)")
        tool("compile", path)
        title(f"{words}: run")
        with tempfile.TemporaryDirectory() as folder:
            tool("run", path, f"--outputs={folder}", "--repeat=10", "--profile")
        right &= check_against_jaxlib(path)
        print(f"every fusion and why: build/bin/subfloor explain examples/{name}.hlo", flush=True)
    title("training a classifier on the 1,797 handwritten digits of scikit-learn")
    train_on_digits()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
