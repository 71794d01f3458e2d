"""Scenarios from what is there: access logs, recordings of browsers, descriptions of interfaces."""

from loadstone.learn.learn import Lesson, Options, learn

__all__ = ["Lesson", "Options", "learn"]
