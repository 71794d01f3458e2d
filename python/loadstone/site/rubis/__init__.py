"""RUBiS, the auction site."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from loadstone.site.value import Data, Fields, Image, Site


class RubisData(Data):
    """Users, what they sell and have sold, bids and comments."""

    amount = "scale"
    in_scenario: ClassVar = {"scale": "scale", "seed": "seed", "base_day": "today"}
    for_people: ClassVar = {"texts": "words"}

    scale: Annotated[
        float,
        Field(
            ge=0.001,
            le=10,
            description="Size of the data set. 1 means a million users and half a million old auctions.",
        ),
    ] = 0.02
    seed: Annotated[int, Field(ge=0, lt=2**63, description="Seed of every random choice.")] = 1
    base_day: Annotated[str, Field(description="First day in the site's own calendar.")] = "2008-10-22"
    texts: Annotated[
        Literal["letters", "words"],
        Field(description="Texts of random letters, as is measured, or in English with nicknames of words."),
    ] = "letters"


class RubisOptions(Fields):
    """How the site works."""

    password: Annotated[
        str | None, Field(description="How new passwords are hashed: sha256 or pbkdf2:ROUNDS.")
    ] = None


RUBIS = Site(
    name="rubis",
    title="RUBiS, the auction site",
    data=RubisData,
    options=RubisOptions,
    has_people=True,
    image=Image(),
    note="Users are called as `loadstone olio names --names words` says, or user1, user2 and so on with "
    "`--texts letters`; their passwords are password1, password2 and so on.",
)
