"""Describe the processor that a benchmark runs on."""

from __future__ import annotations

import torch

from merge_snli.models.finding import processor_units

UNITS = {
    "avx2": "AVX2",
    "avx512_f": "AVX-512",
    "avx512_vnni": "AVX512-VNNI",
    "avx512_bf16": "AVX512-BF16",
    "amx_bf16": "AMX-BF16",
    "amx_int8": "AMX-INT8",
    "neon": "NEON",
    "bf16": "BF16 (Arm)",
}
"""Names of the units that matter for matrix products."""


def processor(device: str = "cpu") -> str:
    """Return one line: the name of a GPU, or the processor's name, the threads of torch, and which units it has."""
    if device != "cpu":
        return f"device: {torch.cuda.get_device_name(device)}, torch {torch.__version__}"
    units = processor_units()
    name = torch.cpu.get_capabilities().get("cpu_name", "unknown") if units else "unknown"
    known = ", ".join(text for unit, text in UNITS.items() if unit in units) or "none known"
    amx = "" if "amx_bf16" in units else "; no AMX"
    return f"processor: {name}, {torch.get_num_threads()} threads of torch {torch.__version__}; units: {known}{amx}"
