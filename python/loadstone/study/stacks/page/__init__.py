"""The page of the study `stacks`."""

from loadstone.study.stacks.page.layout import article

__all__ = ["article"]
