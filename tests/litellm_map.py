"""LiteLLM's bundled map as it is, for tests that hold our tables to it."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


@cache
def entries() -> dict[str, dict[str, Any]]:
    """Every model of the map with all its fields."""
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    found: dict[str, dict[str, Any]] = json.loads(
        Path(spec.origin).with_name("model_prices_and_context_window_backup.json").read_bytes()
    )
    return {name: fields for name, fields in found.items() if name != "sample_spec"}
