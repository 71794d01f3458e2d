"""Tests of the plugin: `ir/` by opt and FileCheck, `run/` by programs that run. `make test-hardening` sets `llvm`."""

import os

import lit.formats

version = lit_config.params["llvm"]  # noqa: F821
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
plugin = os.path.join(root, "target", "hardening", version, "loadstone-harden.so")

config.name = f"hardening with LLVM {version}"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=True)  # noqa: F821
config.suffixes = [".ll", ".c", ".cc", ".test"]  # noqa: F821
config.excludes = ["Inputs"]  # noqa: F821
config.test_source_root = os.path.dirname(os.path.abspath(__file__))  # noqa: F821
config.test_exec_root = os.path.join(root, "target", "hardening", f"tests-{version}")  # noqa: F821
tools = f"/usr/lib/llvm-{version}/bin"
config.environment["PATH"] = f"{tools}:{os.environ['PATH']}"  # noqa: F821
config.environment["LOADSTONE_HARDEN_LLVM"] = version  # noqa: F821
config.substitutions += [  # noqa: F821
    ("%plugin", f"-load-pass-plugin={plugin}"),
    ("%llvm", version),
    ("%harden", f"opt -S -load-pass-plugin={plugin} -passes=loadstone-harden"),
    ("%cc", os.path.join(root, "hardening", "bin", "loadstone-harden-cc")),
    ("%cxx", os.path.join(root, "hardening", "bin", "loadstone-harden-cxx")),
    ("%kernels", os.path.join(root, "hardening", "kernels")),
]
