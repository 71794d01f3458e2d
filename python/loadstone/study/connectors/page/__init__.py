"""The page of the study `connectors`: what its `study.json` says, drawn and told."""

from loadstone.study.connectors.page.layout import part

__all__ = ["part"]
