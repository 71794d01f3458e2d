"""Olio, the social-events site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from loadstone.site.olio.names import names
from loadstone.site.value import Data, Fields, Image, Site


class OlioData(Data):
    """The accounts of the site, with their events, comments and pictures."""

    amount = "accounts"
    in_scenario: ClassVar = {
        "accounts": "accounts",
        "seed": "seed",
        "base_day": "today",
        "media_scale": "media_scale",
        "names": "names",
    }
    with_options = ("profile",)
    for_people: ClassVar = {"profile": "loadstone-2026", "names": "words"}

    accounts: Annotated[int, Field(ge=1, lt=2**32, description="Accounts of a new data set.")] = 1000
    profile: Annotated[
        Literal["cloudstone-2008", "olio-0.2", "loadstone-2026"],
        Field(description="Era of the data; the last has English texts and a picture for each row."),
    ] = "cloudstone-2008"
    media_scale: Annotated[
        float, Field(gt=0, le=100, description="Sizes of pictures relative to Olio's.")
    ] = 1.0
    seed: Annotated[int, Field(ge=0, lt=2**63, description="Seed of every random choice.")] = 1
    base_day: Annotated[str, Field(description="The site's virtual today.")] = "2008-10-22"
    names: Annotated[
        Literal["release", "paper", "words"],
        Field(description="User names: 6 to 11 characters as released, 3 to 8 as in the paper, or words."),
    ] = "release"
    minimal_indexes: Annotated[
        bool,
        Field(description="Leave out every index except the keys, to make the site slow on purpose."),
    ] = False

    @classmethod
    def for_users(cls, users: int, given: Mapping[str, Any]) -> int:
        """A tenth of the accounts is logged in (2008), a hundredth (0.2)."""
        return users * (100 if given.get("profile") == "olio-0.2" else 10)


class OlioOptions(Fields):
    """How the site works."""

    cache: Annotated[
        Literal["none", "query", "fragment", "page"], Field(description="What the site caches.")
    ] = "none"
    password: Annotated[
        str | None, Field(description="How new passwords are hashed: sha256 or pbkdf2:ROUNDS.")
    ] = None
    full_image: Annotated[bool, Field(description="Full pictures instead of thumbnails, as in 2008.")] = False


OLIO = Site(
    name="olio",
    title="Olio, the social-events site",
    data=OlioData,
    options=OlioOptions,
    in_memory=True,
    has_people=True,
    reads_replicas=True,
    image=Image(words=("cache", "full_image")),
    commands=(names,),
)
