"""The wheel that python/build_wheel.py writes: its bytes, its record, and what it is for."""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import struct
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def builder():
    spec = importlib.util.spec_from_file_location("build_wheel", ROOT / "build_wheel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(platform):
    """The beginning of a program for a platform, as its format has it (elf(5), Apple's loader.h, Microsoft's PE format)."""
    system, arch = platform.split("/")
    if system == "linux":
        kind, machine = 2, {"amd64": 62, "arm64": 183}[arch]
        return b"\x7fELF" + bytes([2, 1, 1]) + bytes(9) + struct.pack("<HHI", kind, machine, 1) + bytes(40)
    if system == "darwin":
        return struct.pack("<II", 0xFEEDFACF, {"amd64": 0x01000007, "arm64": 0x0100000C}[arch]) + bytes(24)
    stub = b"MZ" + bytes(58) + struct.pack("<I", 128)
    return stub.ljust(128, b"\0") + b"PE\0\0" + struct.pack("<H", {"amd64": 0x8664, "arm64": 0xAA64}[arch]) + bytes(18)


class Wheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out, self.build = Path(folder.name), builder()

    def write(self, name, platform="linux/amd64", of=None):
        return self.build.write(self.out / name, self.build.version(), platform, program(of or platform))

    def test_two_builds_are_the_same_bytes(self):
        a, b = self.write("a"), self.write("b")
        self.assertEqual(a.name, b.name)
        self.assertEqual(a.read_bytes(), b.read_bytes())

    def test_the_record_has_every_file(self):
        with zipfile.ZipFile(self.write("a")) as wheel:
            names = wheel.namelist()
            record = next(n for n in names if n.endswith("/RECORD"))
            rows = {r[0]: r[1:] for r in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(sorted(rows), sorted(names))
            for name in names:
                if name != record:
                    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(rows[name], ["sha256=" + digest, str(len(wheel.read(name)))])
            self.assertIn("verifier/py.typed", names)
            self.assertFalse([n for n in names if "/test_" in n or "testdata" in n], "tests are not shipped")
            self.assertEqual(wheel.getinfo("verifier/bin/verifier").external_attr >> 16, 0o100755)

    def inspect(self, path, platform, tag):
        """The name, the tags and the program of one wheel."""
        self.assertTrue(path.name.endswith("-py3-none-%s.whl" % tag))
        with zipfile.ZipFile(path) as wheel:
            inside = "verifier/bin/verifier" + (".exe" if "windows" in platform else "")
            self.assertEqual([n for n in wheel.namelist() if n.startswith("verifier/bin/")], [inside])
            self.assertEqual(self.build.platform_of(wheel.read(inside)), platform)
            text = wheel.read(next(n for n in wheel.namelist() if n.endswith("/WHEEL"))).decode()
            tags = [line[len("Tag: py3-none-") :] for line in text.splitlines() if line.startswith("Tag: ")]
            self.assertEqual(tags, tag.split("."))

    def test_each_platform_has_its_tag_and_program(self):
        for platform, tag in self.build.PLATFORMS.items():
            with self.subTest(platform):
                self.inspect(self.write("a", platform), platform, tag)

    def test_a_program_of_another_platform_is_refused(self):
        for platform in self.build.PLATFORMS:
            for of in self.build.PLATFORMS:
                if of != platform:
                    with self.subTest(platform, of=of), self.assertRaisesRegex(ValueError, "got %s" % of):
                        self.write("a", platform, of)
        with self.assertRaisesRegex(ValueError, "got none"):
            self.build.write(self.out, self.build.version(), "linux/amd64", b"#!/bin/sh\n")

    def test_the_wheels_that_make_wheels_wrote(self):
        release = self.build.version()
        built = 0
        for platform, tag in self.build.PLATFORMS.items():
            path = ROOT.parent / "dist" / ("model_verifier-%s-py3-none-%s.whl" % (release, tag))
            if path.is_file():
                built += 1
                with self.subTest(platform):
                    self.inspect(path, platform, tag)
        if not built:
            self.skipTest("dist/ has no wheel: make wheels writes them")

    def test_the_version_is_that_of_the_file(self):
        with open(os.path.join(ROOT.parent, "VERSION"), encoding="utf-8") as f:
            self.assertIn("-%s-" % f.read().strip(), self.write("a").name)


if __name__ == "__main__":
    unittest.main()
