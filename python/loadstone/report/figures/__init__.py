"""Charts as data: Plotly traces and layouts whose colours are names of the theme, resolved by the page."""

from loadstone.report.figures.figure import Figure

__all__ = ["Figure"]
