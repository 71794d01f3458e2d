"""Words that are fixed when an image is built: what is taken, and what a machine is then told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loadstone.errors import LoadstoneError
from loadstone.image.fixed import Fixed, fixed_words, said_again
from loadstone.image.qemu import ADDRESS, GATEWAY, HTTP_PORT, Machine


def test_words_are_taken_as_they_will_be_compiled() -> None:
    found = fixed_words(["ip=10.9.0.15/24", "gw=none", "port=0081", "gw6=fe80::1", "ip6=2001:db8::15/64"])
    assert found.line() == (
        "ip=10.9.0.15/24 gw=none port=81 gw6=fe80:0000:0000:0000:0000:0000:0000:0001"
        " ip6=2001:0db8:0000:0000:0000:0000:0000:0015/64"
    )
    assert (found.useless(), found.needed()) == (["dhcp"], ["ipv6"])
    off = fixed_words(["metrics=off", "scale=off", "data.disk=none", "olio.url=https://a.example/?x=y"])
    assert (off.useless(), off.needed()) == (["metrics"], [])
    assert fixed_words(["tls=fw_cfg", "metrics=9100"]).needed() == ["metrics", "tls"]
    assert (fixed_words([]), fixed_words([]).environment()) == (Fixed({}), {})


@pytest.mark.parametrize(
    "words",
    [
        ["port"],
        ["port="],
        ["port=0"],
        ["port=65536"],
        ["port=8_0"],
        ["prot=80"],
        ["ip=10.0.2.15"],
        ["ip=10.0.2.15/0"],
        ["ip=10.0.2.15/33"],
        ["ip=0.0.0.0/8"],
        ["ip=224.0.0.1/8"],
        ["ip=2001:db8::1/64"],
        ["ip6=fe80::1/64"],
        ["ip6=::ffff:10.0.0.1/64"],
        ["gw6=fe80::1"],
        ["ip6=2001:db8::15/64", "gw6=fe80::1%eth0"],
        ["rx=100"],
        ["scale=0"],
        ["tls=on"],
        ["time=5"],
        ["data.erase=ext4"],
        ["data.disk=disk0"],
        ["virtio_mmio.device=512@0xfeb00000:5"],
        ["olio.url=a b"],
        ["port=80", "port=80"],
        ["data.disk=none", "data.load=none"],
    ],
)
def test_what_could_never_serve_is_refused(words: list[str]) -> None:
    with pytest.raises(LoadstoneError) as refusal:
        fixed_words(words)
    assert refusal.value.slug == "image-options"
    assert words[-1].partition("=")[0] in str(refusal.value)


def test_a_machine_is_not_told_what_its_image_has() -> None:
    words = (f"ip={ADDRESS}", f"gw={GATEWAY}", "olio.media=1")
    machine = Machine(Path("x.elf"), words=words, ports={HTTP_PORT: 9000})
    plain = machine.command()
    assert "user,id=net0,hostfwd=tcp:127.0.0.1:9000-:80" in plain
    assert " ".join(words) in plain
    known = {"ip": "10.9.0.15/24", "gw": "10.9.0.1", "port": "8081"}
    command = replace(machine, fixed=known).command()
    assert "olio.media=1" in command, "ip= and gw= are fixed"
    network = "net=10.9.0.0/24,host=10.9.0.1,dhcpstart=10.9.0.15,dns=10.9.0.2"
    assert f"user,id=net0,{network},hostfwd=tcp:127.0.0.1:9000-10.9.0.15:8081" in command
    said_again(["olio.media=1"], known)
    with pytest.raises(LoadstoneError, match="the image was built with port=8081"):
        said_again(["port=80"], known)
