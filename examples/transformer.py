"""One pre-norm transformer block with rotary positions and a gated feed-forward layer, in plain JAX."""

import jax
import jax.numpy as jnp

LENGTH, WIDTH, HEADS, HIDDEN = 128, 512, 8, 1408


def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def rotate(x):
    """Rotary position embedding of x f32[length, heads, depth]."""
    length, _, depth = x.shape
    frequency = 10000.0 ** (-jnp.arange(0, depth, 2) / depth)
    angle = jnp.arange(length)[:, None, None] * frequency
    even, odd = x[..., ::2], x[..., 1::2]
    turned = jnp.stack([even * jnp.cos(angle) - odd * jnp.sin(angle), even * jnp.sin(angle) + odd * jnp.cos(angle)], axis=-1)
    return turned.reshape(x.shape)


def attention(x, params):
    length, width = x.shape
    split = lambda y: y.reshape(length, HEADS, width // HEADS)
    q, k, v = (split(x @ params[name]) for name in ("query", "key", "value"))
    scores = jnp.einsum("qhd,khd->hqk", rotate(q), rotate(k)) / jnp.sqrt(width // HEADS)
    causal = jnp.arange(length)[:, None] >= jnp.arange(length)[None, :]
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), axis=-1)
    return jnp.einsum("hqk,khd->qhd", weights, v).reshape(length, width) @ params["out"]


def feed_forward(x, params):
    return (jax.nn.silu(x @ params["gate"]) * (x @ params["up"])) @ params["down"]


def block(params, x):
    """x f32[128, 512] -> f32[128, 512]."""
    x = x + attention(rms_norm(x, params["attention_norm"]), params)
    return x + feed_forward(rms_norm(x, params["feed_forward_norm"]), params)


def program():
    f32 = lambda *size: jax.ShapeDtypeStruct(size, jnp.float32)
    params = {
        "attention_norm": f32(WIDTH), "feed_forward_norm": f32(WIDTH),
        "query": f32(WIDTH, WIDTH), "key": f32(WIDTH, WIDTH), "value": f32(WIDTH, WIDTH), "out": f32(WIDTH, WIDTH),
        "gate": f32(WIDTH, HIDDEN), "up": f32(WIDTH, HIDDEN), "down": f32(HIDDEN, WIDTH),
    }
    return block, (params, f32(LENGTH, WIDTH))
