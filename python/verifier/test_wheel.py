"""The wheel that python/build_wheel.py writes: its bytes, its record, and what it is for."""

import base64
import csv
import hashlib
import importlib.util
import io
import os
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


class Wheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out, self.build = Path(folder.name), builder()

    def write(self, name, platform="linux/amd64", program=b"the program"):
        return self.build.write(self.out / name, self.build.version(), platform, program)

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

    def test_each_platform_has_its_tag_and_program(self):
        for platform, tag in self.build.PLATFORMS.items():
            with self.subTest(platform):
                path = self.write("a", platform)
                self.assertTrue(path.name.endswith("-py3-none-%s.whl" % tag))
                with zipfile.ZipFile(path) as wheel:
                    self.assertIn("verifier/bin/verifier" + (".exe" if "windows" in platform else ""), wheel.namelist())
                    text = wheel.read(next(n for n in wheel.namelist() if n.endswith("/WHEEL"))).decode()
                    self.assertEqual(
                        [line[len("Tag: py3-none-") :] for line in text.splitlines() if line.startswith("Tag: ")],
                        tag.split("."),
                    )

    def test_the_version_is_that_of_the_file(self):
        with open(os.path.join(ROOT.parent, "VERSION"), encoding="utf-8") as f:
            self.assertIn("-%s-" % f.read().strip(), self.write("a").name)


if __name__ == "__main__":
    unittest.main()
