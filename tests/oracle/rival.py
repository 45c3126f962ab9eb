"""Runs HLO text on XLA:CPU through jaxlib: the other side of every comparison."""

import os
import re
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # its warnings about stale metadata say nothing here

import jax
import jaxlib._jax as runtime
import numpy as np
from jax._src.lib import xla_client
from jaxlib import _hlo

jax.config.update("jax_enable_x64", True)  # or 64-bit inputs would be cut to 32
DEVICE = jax.devices("cpu")[0]


def parse(text):
    """HLO text -> jaxlib's module. Aliasing is dropped, so that inputs survive a run; so is what jaxlib 0.10.2 cannot read,
    where leaving it out asks for no more: it knows no is_stable of topk, and its own topk is stable."""
    header, rest = text.split("\n", 1)
    header = re.sub(r", (input_output_alias|buffer_donor)=\{ .*? \}(?=, |$)", "", header)
    rest = re.sub(r"( topk\([^\n]*), is_stable=true", r"\1", rest)
    return _hlo.hlo_module_from_text(header + "\n" + rest)


class Program:
    def __init__(self, text):
        proto = parse(text).as_serialized_hlo_module_proto()
        self.parameters = [
            (shape.numpy_dtype(), tuple(shape.dimensions()))
            for shape in _hlo.XlaComputation(proto).program_shape().parameter_shapes()
        ]
        start = time.perf_counter()
        self.executable = DEVICE.client.compile_and_load(
            runtime.mlir.hlo_to_stablehlo(proto), runtime.DeviceList((DEVICE,)), xla_client.CompileOptions()
        )
        self.compile_seconds = time.perf_counter() - start

    def input_bytes(self):
        return sum(int(np.prod(size)) * np.dtype(dtype).itemsize for dtype, size in self.parameters)

    def random_inputs(self, seed=0):
        """Values as trained programs have them, so that deep networks stay finite: vectors in [0.5, 1.5), larger arrays
        centred and scaled by their fan-in, integers in 0..3."""
        random = np.random.default_rng(seed)
        inputs = []
        for dtype, size in self.parameters:
            if dtype == np.bool_:
                inputs.append(random.random(size) > 0.5)
            elif np.issubdtype(dtype, np.integer):
                inputs.append(random.integers(0, 4, size).astype(dtype))
            elif len(size) < 2:
                inputs.append((random.random(size, np.float32) + 0.5).astype(dtype))
            else:
                scale = np.float32(min(1.0, 2 * np.sqrt(3 / max(1, np.prod(size[:-1])))))
                inputs.append(((random.random(size, np.float32) - np.float32(0.5)) * scale).astype(dtype))
        return inputs

    def place(self, inputs):
        return [jax.device_put(value, DEVICE) for value in inputs]

    def execute(self, arrays):
        outputs = self.executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
        for shards in outputs:
            for shard in shards:
                shard.block_until_ready()
        return outputs

    def run(self, inputs):
        return [np.asarray(shards[0]) for shards in self.execute(self.place(inputs))]

    def median_seconds(self, inputs, repeat):
        arrays = self.place(inputs)
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            self.execute(arrays)
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def widen(value):
    """To a dtype that .npy holds: bf16 and f8 as f32, s4 as s8, as `subfloor run --inputs` wants them."""
    if value.dtype.kind in "biufc":
        return value
    name = value.dtype.name
    if name.startswith(("int", "uint")):
        return value.astype(np.int8 if name.startswith("int") else np.uint8)
    return value.astype(np.float32)
