"""A two-layer classifier of 8x8 handwritten digits, and one step of training it with momentum, in plain JAX."""

import jax
import jax.numpy as jnp

PIXELS, HIDDEN, CLASSES, BATCH = 64, 128, 10, 128
RATE, MOMENTUM = 0.1, 0.9


def logits(params, images):
    w1, b1, w2, b2 = params
    return jnp.tanh(images @ w1 + b1) @ w2 + b2


def loss(params, images, labels):
    scores = jax.nn.log_softmax(logits(params, images))
    return -jnp.mean(jnp.sum(scores * jax.nn.one_hot(labels, CLASSES), axis=1))


def train_step(w1, b1, w2, b2, v1, c1, v2, c2, images, labels):
    """Weights, their velocities, a batch -> new weights, new velocities, the loss before the step."""
    params, velocity = (w1, b1, w2, b2), (v1, c1, v2, c2)
    value, gradient = jax.value_and_grad(loss)(params, images, labels)
    velocity = tuple(MOMENTUM * v - RATE * g for v, g in zip(velocity, gradient))
    params = tuple(p + v for p, v in zip(params, velocity))
    return (*params, *velocity, value)


def predict(w1, b1, w2, b2, images):
    return jnp.argmax(logits((w1, b1, w2, b2), images), axis=1).astype(jnp.int32)


def program():
    f32 = lambda *size: jax.ShapeDtypeStruct(size, jnp.float32)
    weights = (f32(PIXELS, HIDDEN), f32(HIDDEN), f32(HIDDEN, CLASSES), f32(CLASSES))
    batch = (f32(BATCH, PIXELS), jax.ShapeDtypeStruct((BATCH,), jnp.int32))
    return train_step, (*weights, *weights, *batch)


def predict_program():
    f32 = lambda *size: jax.ShapeDtypeStruct(size, jnp.float32)
    weights = (f32(PIXELS, HIDDEN), f32(HIDDEN), f32(HIDDEN, CLASSES), f32(CLASSES))
    return predict, (*weights, f32(1797, PIXELS))
