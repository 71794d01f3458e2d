"""Gathers the pages of the documentation site in one folder, from which the site's generator makes it.

    python docs/site/gather.py target/docs-source

The same Markdown is read on the site and in a checkout. Some of what it links to is only in the checkout:
sources, examples, records of runs. Some pages lie at the top of the checkout, where people look for them. And
the list of commands is made from the code.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from pathlib import Path

import commands

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"
# Page of the site: file of the checkout.
BESIDE = {
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
MADE = {"reference/commands.md": commands.page}
# One section of it has nearly every word, and would fill a screen of every search.
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
# [text](path#anchor), where the text may hold brackets of its own; no images.
LINK = re.compile(r"(?<!!)\[((?:[^\]\[]|\[[^\]]*\])+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def gather(out: Path) -> None:
    """Writes pages and images; what was in the folder before is removed.

    Raises FileNotFoundError when a page links to a file that the checkout does not have.
    """
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(DOCS, out, ignore=shutil.ignore_patterns("*.md", "site"))
    pages = {file.relative_to(DOCS).as_posix(): file for file in DOCS.rglob("*.md")}
    pages |= {name: CHECKOUT / source for name, source in BESIDE.items()}
    for name, file in pages.items():
        _write(out / name, on_site(file.read_text("utf-8"), name, file.parent))
    for name, page in MADE.items():
        _write(out / name, page())


def on_site(markdown: str, name: str, home: Path) -> str:
    """The page `name` as the site has it; `home` is the folder that its links start from.

    A link out of the site becomes the path of the file it names, since the site does not carry that file.
    """

    def rewritten(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        if re.match(r"[a-z]+:", target):
            return link[0]
        path = (home / target).resolve()
        inside = _page_of(path)
        if inside not in MADE and not path.exists():
            raise FileNotFoundError(f"{name} links to {target}, and there is no such file")
        if inside:
            return f"[{text}]({posixpath.relpath(inside, posixpath.dirname(name) or '.')}{anchor})"
        named = path.relative_to(CHECKOUT).as_posix()
        return f"`{named}`" if text.strip("`") == named else f"{text} (`{named}`)"

    if name == "changelog.md":  # its lists nest by two spaces, Python's Markdown wants four
        markdown = re.sub(r"^( +)", r"\1\1", markdown, flags=re.MULTILINE)
        markdown = f"{UNSEARCHED}{markdown}"
    return LINK.sub(rewritten, markdown)


def _page_of(path: Path) -> str | None:
    """The page or file of the site that this file of the checkout becomes, if it is part of the site."""
    for name, source in BESIDE.items():
        if path == CHECKOUT / source:
            return name
    return path.relative_to(DOCS).as_posix() if path.is_relative_to(DOCS) else None


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
