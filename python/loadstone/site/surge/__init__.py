"""SURGE's file set, made from a seed as it is served."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from loadstone.site.value import Data, Fields, Image, Site


class SurgeData(Data):
    """Files with SURGE's laws of sizes, popularity and references."""

    amount = "files"
    in_scenario: ClassVar = {"files": "files", "seed": "seed"}
    with_options = ("profile",)

    files: Annotated[int, Field(ge=10, le=1_000_000, description="Number of files.")] = 5000
    seed: Annotated[int, Field(ge=0, lt=2**63, description="Seed of sizes, popularity and references.")] = 1
    profile: Annotated[
        Literal["measured", "surge-1998"],
        Field(description="Laws of the file set: measured, or as published in 1998."),
    ] = "measured"


class SurgeOptions(Fields):
    """There is nothing to say."""


SURGE = Site(
    name="surge",
    title="SURGE's files, generated from a seed",
    data=SurgeData,
    options=SurgeOptions,
    stored=False,
    image=Image(words=("files", "seed"), fixed={"profile": "measured"}),
)
