"""The page of the study `balancers`: what its `study.json` says, drawn and told."""

from loadstone.study.balancers.page.layout import article

__all__ = ["article"]
