"""The page of the study `nodes`: what its `study.json` says, drawn and told."""

from loadstone.study.nodes.page.layout import article

__all__ = ["article"]
