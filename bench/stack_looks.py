"""Every stack of Olio in a real browser: its pages beside the built-in site's, and by how much they differ.

    scripts/setup-browser; scripts/setup-servers; scripts/setup-stacks
    .venv/bin/python bench/stack_looks.py [--out DIR]

Each site runs on a data set of its own, in SQLite. Chromium opens its home page and an event. A page's
picture without its photographs is compared with the built-in site's, pixel by pixel: the browser draws
photographs sharper when it finds the time, and so a page differs from itself in them. Writes `README.md`
with the differences, and `sheet.png`, all home pages side by side. Exits with 1 when a page differs by more
than the browser's rounding.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asked
import kept

from loadstone.site.stack import STACKS
from loadstone.site.stack.running import Wanted, database_of, prepared, running

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "fakes"), str(TESTS / "parity")]
from chromium import chromium  # noqa: E402  (of the tests)
from looks import ROUNDING, apart, data_url, picture  # noqa: E402
from shared_sites import load, serving  # noqa: E402

PAGES = ("/", "/events/1")
BUILT_IN = "olio"
TITLES = {BUILT_IN: "Olio, the built-in site", **{stack.name: stack.title for stack in STACKS}}
DATA = {"profile": "cloudstone-2008", "media_scale": 0.01}
"""As `shared_sites.load` makes it."""
WIDTH = 360
SHEET = """<!doctype html><style>
body {{ margin: 0; padding: 12px; background: #fff; font: 15px sans-serif; width: max-content }}
main {{ display: grid; grid-template-columns: repeat(4, {width}px); gap: 12px }}
figure {{ margin: 0 }} figcaption {{ padding: 4px 0 }} img {{ width: 100%; border: 1px solid #999 }}
</style><main>{figures}</main>"""


@contextlib.contextmanager
def site(name: str, place: str) -> Iterator[str]:
    """The URL of the built-in site or of a stack, on a new data set at `place`."""
    done = load(place)
    if done.returncode:
        raise SystemExit(done.stderr)
    if name == BUILT_IN:
        with serving(place) as urls:
            yield urls[0]
        return
    folder = next(stack.folder for stack in STACKS if stack.name == name)
    with prepared(DATA) as (files, state), running(Wanted(folder, database_of(place), files, state)) as one:
        yield one.url


def sheet(browser: Any, shots: dict[str, bytes]) -> bytes:
    """Pictures side by side, each under its site's name."""
    figures = "".join(
        f'<figure><figcaption>{TITLES[name]}</figcaption><img src="{data_url(shot)}"></figure>'
        for name, shot in shots.items()
    )
    with tempfile.NamedTemporaryFile("w", suffix=".html") as page:
        page.write(SHEET.format(width=WIDTH, figures=figures))
        page.flush()
        # Once for the page to be drawn at its own size.
        picture(browser, f"file://{page.name}", photographs=True)
        width, height = browser.execute_script(
            "return [document.body.offsetWidth, document.body.offsetHeight]"
        )
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        shot: bytes = browser.get_screenshot_as_png()
    return shot


def main() -> int:
    """Looks at every site, and writes both files."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder)
    options = parser.parse_args()
    out = kept.folder("stack-looks", options.out)
    plain: dict[str, dict[str, bytes]] = {}
    whole: dict[str, bytes] = {}
    first: dict[str, bytes] = {}
    with chromium() as browser, tempfile.TemporaryDirectory(prefix="stack-looks-") as folder:
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        for name in TITLES:
            with site(name, f"{folder}/{name}") as url:
                plain[name] = {page: picture(browser, url + page) for page in PAGES}
                whole[name] = picture(browser, url, photographs=True)
                # The built-in site is looked at twice: what the browser itself draws otherwise shows.
                first = first or {page: picture(browser, url + page) for page in PAGES}
        found = {
            name: {page: apart(browser, shots[page], first[page]) for page in PAGES}
            for name, shots in plain.items()
        }
        (out / "sheet.png").write_bytes(sheet(browser, whole))
    command = f"python bench/stack_looks.py{f' --out {options.out}' if options.out else ''}"
    text = told(kept.line(kept.head(command)), found)
    (out / "README.md").write_text(text)
    print(text)
    return 1 if max(level for each in found.values() for level in each.values()) > ROUNDING else 0


def told(how: str, found: dict[str, dict[str, int]]) -> str:
    """The table of differences."""
    rows = "".join(
        f"| {TITLES[name]} | {' | '.join(str(found[name][page]) for page in PAGES)} |\n" for name in found
    )
    return (
        f"# Every stack in a real browser\n\n`{how.replace(', ', '`, ', 1)}.\n\n"
        "The greatest difference of a pixel to the built-in site's, of 255 levels of a colour, without\n"
        f"photographs. Up to {ROUNDING} are the browser's own rounding at round corners: the first line is\n"
        "a second look at the built-in site itself.\n\n"
        f"| site | {' | '.join(f'`{page}`' for page in PAGES)} |\n|---|{'---:|' * len(PAGES)}\n{rows}\n"
        "![Home pages of all sites, side by side](sheet.png)\n"
    )


if __name__ == "__main__":
    sys.exit(main())
