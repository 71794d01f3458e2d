"""Scenarios from what is there: access logs, recordings of browsers, descriptions of interfaces."""

from loadstone.learn.learn import Lesson, Options, learn
from loadstone.learn.read import Named

__all__ = ["Lesson", "Named", "Options", "learn"]
