#!/usr/bin/env python3
"""Lowers the JAX programs of this folder to HLO text: examples/lower.py [NAME...] writes examples/NAME.hlo.

Needs jax (./dev installs 0.10.2 into .venv). The text is committed, so that running the examples needs no JAX.
"""

import pathlib
import sys

import jax

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import digits
import resnet50
import transformer

PROGRAMS = {
    "resnet50": resnet50.program,
    "transformer": transformer.program,
    "digits_train": digits.program,
    "digits_predict": digits.predict_program,
}


def main():
    for name in sys.argv[1:] or PROGRAMS:
        function, arguments = PROGRAMS[name]()
        # Where a line of Python stood says nothing to a reader of the text.
        text = jax.jit(function).lower(*arguments).as_text("hlo")
        (HERE / f"{name}.hlo").write_text(text.rstrip() + "\n")
        print(f"examples/{name}.hlo: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
