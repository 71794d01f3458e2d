"""What a run folder keeps of a service: how it differs from the defaults, also where there are none."""

from typing import Annotated

from pydantic import Field

from loadstone.deploy import Service
from loadstone.deploy.recording import defaults
from loadstone.deploy.role import Role
from loadstone.deploy.settings import Settings


class Needy(Settings):
    """It has a setting without a default, which names no other service."""

    word: Annotated[str, Field(description="always given")]
    number: int = 1


class NeedyRole(Role):
    name = "needy"
    settings = Needy
    port = 8080


def test_a_setting_without_a_default_is_its_own_default() -> None:
    service = Service("one", NeedyRole(), ("web",), 8080, Needy(word="given", number=2))
    assert defaults(service).settings == Needy(word="given", number=1)
