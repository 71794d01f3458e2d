"""The page of the study `appliance`: what its `study.json` says, drawn and told."""

from loadstone.study.appliance.page.layout import article

__all__ = ["article"]
