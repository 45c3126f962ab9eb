"""File tests: RUN lines over small programs, expectations beside the lines they are about."""

import os

import lit.formats

config.name = "subfloor"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".hlo", ".mlir", ".test"]
config.excludes = ["Inputs", "oracle", "outside"]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.environ.get("SUBFLOOR_BUILD", os.path.join(root, "build"))
config.test_source_root = os.path.join(root, "tests")
config.test_exec_root = os.path.join(build, "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ.get("PATH", "")])
config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%build", build))
