"""Tools as models are offered them, and their calls: the form that LiteLLM has for every provider."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model wants to have called."""

    call_id: str
    """The provider's name for this call; its result is sent back under it."""
    name: str
    arguments: str
    """As the model wrote them: JSON, if all is well."""


def tool(name: str, description: str, parameters: Mapping[str, str]) -> dict[str, object]:
    """The definition of a function whose parameters, each with its description, are texts that must all be given."""
    properties = {one: {"type": "string", "description": said} for one, said in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
