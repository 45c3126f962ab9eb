"""Prints a deep or long HLO program: depth.py KIND N. What compiles and evaluates it must not recurse by its size."""

import sys

SCALAR = "q = f32[2] parameter(0)"


def module(computations, entry):
    return "HloModule deep\n" + "".join(computations) + "ENTRY e {\n" + entry + "}\n"


def nested(depth, leaf="f32[2]", beside=""):
    return ("(" + beside) * depth + leaf + ")" * depth


def tuples(n):
    return module([], f" ROOT p = {nested(n)} parameter(0)\n")


def wide_tuples(n):
    return module([], f" ROOT p = {nested(n, beside='s32[], ')} parameter(0)\n")


def constants(n):
    return module([], f" ROOT c = {nested(n)} constant({'(' * n}{{1, 2}}{')' * n})\n")


def taken_apart(n):
    lines, value = [f" p = {nested(n)} parameter(0)\n"], "p"
    for i in range(n):
        lines.append(f" g{i} = {nested(n - i - 1)} get-tuple-element({value}), index=0\n")
        value = f"g{i}"
    return module([], "".join(lines) + f" ROOT r = f32[2] negate({value})\n")


def chain(n):
    ops = ("sine", "negate", "abs")
    lines = [" a0 = f32[8] parameter(0)\n"]
    for i in range(1, n + 1):
        lines.append(f" {'ROOT ' if i == n else ''}a{i} = f32[8] {ops[i % 3]}(a{i - 1})\n")
    return module([], "".join(lines))


def wrapped(n, step):
    inside = [f"f0 {{ {SCALAR}\n ROOT r = f32[2] sine(q)\n}}\n"]
    inside += [f"f{i} {{ {SCALAR}\n{step(i)}}}\n" for i in range(1, n)]
    return module(inside, f" {SCALAR}\n ROOT c = f32[2] call(q), to_apply=f{n - 1}\n")


def calls(n):
    return wrapped(n, lambda i: f" ROOT c = f32[2] call(q), to_apply=f{i - 1}\n")


def fusions(n):
    return wrapped(n, lambda i: f" ROOT c = f32[2] fusion(q), kind=kLoop, calls=f{i - 1}\n")


def conditionals(n):
    return wrapped(n, lambda i: f" s = f32[1] slice(q), slice={{[0:1]}}\n v = f32[] reshape(s)\n z = f32[] constant({i})\n"
                                " p = pred[] compare(v, z), direction=LT\n"
                                f" ROOT c = f32[2] conditional(p, q, q), true_computation=f{i - 1}, false_computation=f0\n")


def maps(n):
    inside = ["f0 { q = f32[] parameter(0)\n ROOT r = f32[] sine(q)\n}\n"]
    inside += [f"f{i} {{ q = f32[] parameter(0)\n ROOT c = f32[] map(q), dimensions={{}}, to_apply=f{i - 1}\n}}\n" for i in range(1, n)]
    return module(inside, f" {SCALAR}\n ROOT c = f32[2] map(q), dimensions={{0}}, to_apply=f{n - 1}\n")


def whiles(n):
    state = "(s32[], f32[2])"
    end = " one = s32[] constant(1)\n i = s32[] get-tuple-element(p), index=0\n j = s32[] add(i, one)\n" \
          f" ROOT t = {state} tuple(j, y)\n}}\n"
    inside = [f"cond {{ p = {state} parameter(0)\n i = s32[] get-tuple-element(p), index=0\n one = s32[] constant(1)\n"
              " ROOT c = pred[] compare(i, one), direction=LT\n}\n",
              f"b0 {{ p = {state} parameter(0)\n x = f32[2] get-tuple-element(p), index=1\n y = f32[2] sine(x)\n" + end]
    for i in range(1, n):
        inside.append(f"b{i} {{ p = {state} parameter(0)\n x = f32[2] get-tuple-element(p), index=1\n z = s32[] constant(0)\n"
                      f" t0 = {state} tuple(z, x)\n w = {state} while(t0), condition=cond, body=b{i - 1}\n"
                      " y = f32[2] get-tuple-element(w), index=1\n" + end)
    return module(inside, f" p = {state} parameter(0)\n ROOT w = {state} while(p), condition=cond, body=b{n - 1}\n")


def reducer(n):
    """A combiner of many operations, which no rule recognises."""
    lines = [" a0 = f32[] parameter(0)\n b = f32[] parameter(1)\n"]
    for i in range(1, n + 1):
        lines.append(f" a{i} = f32[] {('sine', 'negate')[i % 2]}(a{i - 1})\n")
    fold = "fold {\n" + "".join(lines) + f" ROOT r = f32[] add(a{n}, b)\n}}\n"
    return module([fold], " x = f32[4] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=fold\n")


def concatenation(n):
    lines = [" p = f32[1] parameter(0)\n"] + [f" c{i} = f32[1] constant({{{i}}})\n" for i in range(n)]
    parts = ", ".join(f"c{i}" for i in range(n))
    return module([], "".join(lines) + f" r = f32[{n + 1}] concatenate(p, {parts}), dimensions={{0}}\n"
                                       f" ROOT s = f32[{n + 1}] sine(r)\n")


def diamonds(n):
    """Two uses at each step, at different places: as many paths as 2^n."""
    lines = [" x0 = f32[4] parameter(0)\n"]
    for i in range(1, n + 1):
        lines.append(f" r{i} = f32[4] reverse(x{i - 1}), dimensions={{0}}\n t{i} = f32[4] sine(r{i})\n"
                     f" x{i} = f32[4] add(x{i - 1}, t{i})\n")
    return module([], "".join(lines) + f" ROOT r = f32[4] negate(x{n})\n")


if __name__ == "__main__":
    sys.stdout.write(globals()[sys.argv[1]](int(sys.argv[2])))
