"""The congestion control of hosts: what the kernel has, and what it allows them."""

from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.lab.bring_up import _check_congestion_control


@pytest.fixture
def tcp(tmp_path: Path) -> Path:
    for name, words in (
        ("tcp_available_congestion_control", "reno bbr cubic"),
        ("tcp_allowed_congestion_control", "reno"),
        ("tcp_congestion_control", "bbr"),
    ):
        (tmp_path / name).write_text(f"{words}\n")
    return tmp_path


@pytest.mark.parametrize("wanted", [None, "reno", "bbr"])
def test_what_is_allowed_or_the_machines_own_may_be(tcp: Path, wanted: str | None) -> None:
    _check_congestion_control(wanted, tcp)


def test_what_the_kernel_does_not_allow_is_refused_with_what_allows_it(tcp: Path) -> None:
    with pytest.raises(LoadstoneError) as error:
        _check_congestion_control("cubic", tcp)
    assert error.value.slug == "lab-unsupported" and "does not allow it" in error.value.message
    assert "sysctl -w net.ipv4.tcp_allowed_congestion_control='reno cubic'" in (error.value.hint or "")


def test_what_the_kernel_does_not_have_is_refused(tcp: Path) -> None:
    with pytest.raises(LoadstoneError, match="has no congestion control `vegas`"):
        _check_congestion_control("vegas", tcp)
