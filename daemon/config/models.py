"""`[models]`: who takes the two roles, who steps in, and how they are asked."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from daemon.config.amounts import MOST_TOKENS
from daemon.config.options import Options, for_model, merged, refusals
from daemon.config.tables import Table

Batch = Literal["never", "night", "always"]

_LITELLM_NAME = re.compile(r"[^\s/]+/\S+")
_LEAST_WINDOW = 1024  # tokens; the shortest prompt needs more


def _name_or(word: str) -> AfterValidator:
    def check(value: str) -> str:
        if value != word and not _LITELLM_NAME.fullmatch(value):
            shown = f'"{word}"' if word else "empty"
            raise ValueError(f'must be {shown} or a name like "provider/model"')
        return value

    return AfterValidator(check)


def _window(value: int) -> int:
    if 0 < value < _LEAST_WINDOW:
        raise ValueError(f"must be 0 or at least {_LEAST_WINDOW}")
    return value


def _sendable(options: Options) -> Options:
    """Raises ValidationError with every option that is refused, so that all of them are told at once."""
    refused = [
        InitErrorDetails(type=PydanticCustomError("option", "{reason}", {"reason": reason}), loc=place, input=None)
        for place, reason in refusals(options)
    ]
    if refused:
        raise ValidationError.from_exception_data("options", refused)
    return options


class ModelSettings(Table):
    """`[models]`, as written: "chat" and "small" are not yet the models that they stand for."""

    agent: Annotated[str, _name_or("chat")] = "chat"
    context_manager: Annotated[str, _name_or("small")] = "small"
    fallback: Annotated[str, _name_or("")] = ""
    window: Annotated[int, AfterValidator(_window)] = Field(default=0, ge=0, le=MOST_TOKENS)
    concurrency: int = Field(default=6, ge=1, le=16)
    batch: Batch = "never"
    options: Annotated[Options, AfterValidator(_sendable)] = Field(default_factory=dict)

    _found_here: bool = PrivateAttr(default=False)

    @property
    def found_here(self) -> bool:
        """Whether these settings lay in the current folder and nobody named them: they decide nothing about keys."""
        return self._found_here

    def as_found_here(self) -> Self:
        """The same settings, of a file that was merely found in the current folder."""
        found = self.model_copy()
        found._found_here = True
        return found

    def options_for(self, name: str) -> dict[str, object]:
        """What to pass to LiteLLM with a call to the model `name`: the general options, then those of the tables
        whose name fits, in the order of the file. The result may be changed."""
        return for_model(self.options, name)

    def overridden(self, by: Self) -> Self:
        """As for every table; the options are taken over one by one."""
        return super().overridden(by).model_copy(update={"options": merged(self.options, by.options)})
