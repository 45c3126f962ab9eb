"""Runs HLO text on XLA:CPU through jaxlib: the other side of every comparison."""

import re
import statistics
import time

import jax
import jaxlib._jax as runtime
import numpy as np
from jax._src.lib import xla_client
from jaxlib import _hlo

DEVICE = jax.devices("cpu")[0]


def parse(text):
    """HLO text -> jaxlib's module. Aliasing is dropped, so that inputs survive a run."""
    header, rest = text.split("\n", 1)
    header = re.sub(r", (input_output_alias|buffer_donor)=\{ .*? \}(?=, |$)", "", header)
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

    def random_inputs(self, seed=0):
        """Well-behaved values: floats in [-0.5, 0.5), integers in 0..3."""
        random = np.random.default_rng(seed)
        inputs = []
        for dtype, size in self.parameters:
            if dtype == np.bool_:
                inputs.append(random.random(size) > 0.5)
            elif np.issubdtype(dtype, np.integer):
                inputs.append(random.integers(0, 4, size).astype(dtype))
            else:
                inputs.append((random.random(size) - 0.5).astype(np.float32).astype(dtype))
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
