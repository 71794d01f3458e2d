"""YAML within bounds: no tags, no aliases (a few lines of them stand for gigabytes), no depth."""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]

from loadstone.errors import LoadstoneError
from loadstone.intake.bounds import DEEPEST, Unbounded, check_bounds, spelled
from loadstone.intake.files import Kind


class _Plain(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses what could cost more than the text is long."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """As its parent, without aliases and with a limit of depth."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.MarkedYAMLError(
                problem="aliases (`*name`) are not read", problem_mark=event.start_mark
            )
        self.deep = getattr(self, "deep", 0) + 1
        if self.deep > DEEPEST:
            raise yaml.MarkedYAMLError(
                problem=f"it is nested deeper than {DEEPEST}", problem_mark=self.peek_event().start_mark
            )
        try:
            return super().compose_node(parent, index)
        finally:
            self.deep -= 1


# Days and times stay the texts that they are.
_Plain.yaml_implicit_resolvers = {
    first: [one for one in known if one[0] != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def yaml_object(text: str, kind: Kind, place: str) -> dict[str, Any]:
    """The mapping of a YAML text, its keys texts. LoadstoneError with the kind's slug and the line."""
    try:
        found = yaml.load(text, _Plain)
        found = _texts(found)
        check_bounds(found)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        message = f"not YAML: {error.problem or 'it cannot be read'}"
        raise LoadstoneError(kind.slug, message, place=f"{place}:{line}", hint=kind.hint) from error
    except Unbounded as error:
        raise LoadstoneError(kind.slug, f"`{spelled(error.path)}`: {error}", place=place) from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, LookupError, AttributeError) as error:
        message = f"not YAML: {' '.join(str(error).split())[:200]}"
        raise LoadstoneError(kind.slug, message, place=place, hint=kind.hint) from error
    if not isinstance(found, dict):
        raise LoadstoneError(kind.slug, f"it is not {kind.noun}", place=place, hint=kind.hint)
    return found


def _texts(content: Any) -> Any:
    """The same with texts as keys: 200 of `responses` is a number in YAML."""
    if isinstance(content, dict):
        return {str(key): _texts(one) for key, one in content.items()}
    return [_texts(one) for one in content] if isinstance(content, list) else content
