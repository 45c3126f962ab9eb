"""ResNet-50 for inference, in plain JAX: 3x3 bottlenecks after He et al. 2015, NHWC, batch norm folded as scale and offset."""

import jax
import jax.numpy as jnp

STAGES = ((3, 64), (4, 128), (6, 256), (3, 512))  # blocks, width
EXPANSION = 4
CLASSES = 1000


def conv(x, kernel, stride=1):
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalize(x, norm):
    scale, offset, mean, variance = norm
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + offset


def bottleneck(x, block, stride):
    shortcut = x
    if "project" in block:
        shortcut = normalize(conv(x, block["project"], stride), block["project_norm"])
    x = jax.nn.relu(normalize(conv(x, block["reduce"]), block["reduce_norm"]))
    x = jax.nn.relu(normalize(conv(x, block["spatial"], stride), block["spatial_norm"]))
    return jax.nn.relu(normalize(conv(x, block["expand"]), block["expand_norm"]) + shortcut)


def resnet50(params, images):
    """images f32[n, 224, 224, 3] -> class probabilities f32[n, 1000]."""
    x = jax.nn.relu(normalize(conv(images, params["stem"], 2), params["stem_norm"]))
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for stage, blocks in enumerate(params["stages"]):
        for i, block in enumerate(blocks):
            x = bottleneck(x, block, 2 if i == 0 and stage > 0 else 1)
    x = jnp.mean(x, axis=(1, 2))
    return jax.nn.softmax(x @ params["head"] + params["head_bias"])


def shapes():
    """The parameters as shapes: nothing is allocated, lowering needs no values."""
    f32 = lambda *size: jax.ShapeDtypeStruct(size, jnp.float32)
    norm = lambda width: (f32(width), f32(width), f32(width), f32(width))
    stages, channels = [], 64
    for count, width in STAGES:
        blocks = []
        for i in range(count):
            block = {
                "reduce": f32(1, 1, channels, width), "reduce_norm": norm(width),
                "spatial": f32(3, 3, width, width), "spatial_norm": norm(width),
                "expand": f32(1, 1, width, width * EXPANSION), "expand_norm": norm(width * EXPANSION),
            }
            if i == 0:
                block["project"] = f32(1, 1, channels, width * EXPANSION)
                block["project_norm"] = norm(width * EXPANSION)
            blocks.append(block)
            channels = width * EXPANSION
        stages.append(blocks)
    return {
        "stem": f32(7, 7, 3, 64), "stem_norm": norm(64), "stages": stages,
        "head": f32(channels, CLASSES), "head_bias": f32(CLASSES),
    }


def program():
    return resnet50, (shapes(), jax.ShapeDtypeStruct((1, 224, 224, 3), jnp.float32))
