"""The page of the study `connectors`: what its `study.json` says, drawn and told."""

from loadstone.study.connectors.page.layout import article

__all__ = ["article"]
