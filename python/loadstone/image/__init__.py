"""Bootable images and the Linux guest beside them: built, looked into, booted under QEMU.

Images are built from the sources, so most of it needs a checkout; looking into an image and booting one need
only the file.
"""
