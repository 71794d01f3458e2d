"""Colours by role, once for light and once for dark; the style sheet and the charts use the same.

The series' hues are those of Okabe and Ito's palette for the colour-blind, darkened for light and lightened
for dark so that a label in a line's colour has a contrast of at least 4.5 : 1 to the page.
"""

LIGHT = {
    "page": "#ffffff",
    "raised": "#f5f6f8",
    "rule": "#dfe3e8",
    "grid": "#e9ecf0",
    "ink": "#171a1f",
    "muted": "#565f6b",
    "shade": "rgba(86, 95, 107, 0.09)",
    "faint": "#a9b1bb",
    "s1": "#0068a6",
    "s2": "#b34700",
    "s3": "#8a3f78",
    "s4": "#00735a",
    "s5": "#7d5a00",
    "s6": "#5546b8",
    "good": "#00735a",
    "bad": "#b3261e",
    "warn": "#7d5a00",
    "good-back": "#e3f3ee",
    "bad-back": "#fbe9e7",
    "warn-back": "#faf0d7",
    "band-1": "rgba(0, 104, 166, 0.13)",
    "band-2": "rgba(138, 63, 120, 0.13)",
}

DARK = {
    "page": "#14171b",
    "raised": "#1d2127",
    "rule": "#343a43",
    "grid": "#272c33",
    "ink": "#e9ecf0",
    "muted": "#a3adb9",
    "shade": "rgba(163, 173, 185, 0.10)",
    "faint": "#59626d",
    "s1": "#5cb6f2",
    "s2": "#ff9a5c",
    "s3": "#e3a0cf",
    "s4": "#3fc7a0",
    "s5": "#e8bf52",
    "s6": "#b0a5ff",
    "good": "#3fc7a0",
    "bad": "#ff8a80",
    "warn": "#e8bf52",
    "good-back": "#16322a",
    "bad-back": "#3d1e1c",
    "warn-back": "#362b10",
    "band-1": "rgba(92, 182, 242, 0.17)",
    "band-2": "rgba(227, 160, 207, 0.17)",
}

SERIES = ("@s1", "@s2", "@s3", "@s4", "@s5")


def colour(index: int) -> str:
    """The name of the `index`-th series' colour."""
    return SERIES[index % len(SERIES)]
