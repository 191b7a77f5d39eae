"""Read which units the processor has, such as those that multiply bfloat16 matrices."""

from __future__ import annotations


def processor_units() -> frozenset[str]:
    """Return the units of the processor as torch names them, for example `avx2` and `avx512_bf16`.

    Returns:
        The names; empty if this version of torch does not report them.
    """
    import torch

    if not hasattr(torch.cpu, "get_capabilities"):
        return frozenset()
    return frozenset(name for name, found in torch.cpu.get_capabilities().items() if found is True)
