"""The page: one file that needs nothing else, with Plotly inside, packed."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

import jinja2
from markupsafe import Markup

from loadstone.report import format
from loadstone.report.chapter import article
from loadstone.report.figures import theme
from loadstone.report.folder import Chapter
from loadstone.report.sections import Article
from loadstone.report.terms import explained, glossed


def page(chapters: Sequence[Chapter]) -> str:
    """The report of one folder, or of several one after the other, as HTML under 3 MB."""
    return page_of([article(chapter, f"f{index}") for index, chapter in enumerate(chapters, 1)])


def page_of(articles: Sequence[Article]) -> str:
    """A page of articles that were laid out already; their keys differ."""
    figures = {key: figure for one in articles for key, figure in one.figures.items()}
    charts = json.dumps(
        {key: {"data": figure.traces, "layout": figure.layout} for key, figure in figures.items()},
        separators=(",", ":"),
    )
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=_title(articles),
            articles=articles,
            terms={one.key: explained(one) for one in articles},
            light=theme.LIGHT,
            dark=theme.DARK,
            palettes=_embedded(json.dumps({"light": theme.LIGHT, "dark": theme.DARK})),
            charts=_embedded(charts),
            plotly=_plotly() if figures else "",
            # Only scripts with this word may run. It is drawn at random, so data cannot contain it.
            nonce=hashlib.sha256(charts.encode()).hexdigest()[:32],
        )
    )


def _title(articles: Sequence[Article]) -> str:
    return " · ".join(dict.fromkeys(one.name for one in articles)) + " – Loadstone"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("loadstone.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"moment": format.moment, "size": format.size, "whole": format.whole}
    environment.filters["glossed"] = glossed
    environment.globals["style"] = Markup(_template("style.css"))
    environment.globals["script"] = Markup(_template("coloured.js") + _template("charts.js"))
    return environment


@cache
def _plotly() -> str:
    """Plotly as shipped in its Python package: gzip, base64. 4.8 MB become 2.0 MB."""
    packed = (resources.files("plotly") / "package_data" / "plotly.min.js").read_bytes()
    return base64.b64encode(gzip.compress(packed, 9, mtime=0)).decode("ascii")


def _template(name: str) -> str:
    return (resources.files("loadstone.report") / "templates" / name).read_text("utf-8")


def _embedded(text: str) -> Markup:
    """JSON that may stand inside a script element: no `<` can end it."""
    return Markup(text.replace("<", "\\u003c"))
