"""Writes the wheels of model-verifier: the Python package and, for each platform, the program. Needs the standard library and Go.

    python3 python/build_wheel.py --out dist                    # every platform
    python3 python/build_wheel.py --out dist --only linux/amd64 # one
    python3 python/build_wheel.py --out dist --only linux/amd64 --binary bin/verifier

The same commit gives the same bytes: times in the archive are fixed, names are sorted, and nothing of the machine is in the program.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "verifier"
NAME, DISTRIBUTION = "model-verifier", "model_verifier"

# The program has no library to link with, so one file serves glibc and musl. The tags are the oldest that Go 1.26 supports:
# Linux 3.2 (https://go.dev/wiki/MinimumRequirements), for which manylinux2014 is the oldest tag that pip still takes, macOS 12, Windows 10.
PLATFORMS: Dict[str, str] = {
    "linux/amd64": "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

ENTRY_POINTS = """[console_scripts]
verifier = verifier.__main__:main

[pytest11]
verifier = verifier.pytest_plugin
"""

TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can say


def version() -> str:
    """The version of the release, which the file VERSION has for everything that is built."""
    text = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", text):
        sys.exit("VERSION is %r, which is no version as PEP 440 writes it" % text)
    return text


def metadata(release: str) -> str:
    readme = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return "\n".join(
        [
            "Metadata-Version: 2.1",
            "Name: " + NAME,
            "Version: " + release,
            "Summary: Says before a run whether a neural network works in PyTorch, what it costs, and what the one fix is",
            "License: Apache-2.0"
            if "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
            else "License: see LICENSE",
            "Requires-Python: >=3.9",
            "Classifier: Programming Language :: Python :: 3",
            "Classifier: Typing :: Typed",
            "Description-Content-Type: text/markdown",
            "",
            readme,
        ]
    )


def sources() -> List[Tuple[str, bytes]]:
    """The files of the package, without its tests."""
    found = []
    for path in sorted(PACKAGE.rglob("*")):
        inside = path.relative_to(PACKAGE).as_posix()
        if (
            path.is_file()
            and (path.suffix == ".py" or path.name == "py.typed")
            and not path.name.startswith("test_")
            and not inside.startswith(("bin/", "testdata/"))
        ):
            found.append(("verifier/" + inside, path.read_bytes()))
    return found


def compiled(platform: str, folder: str) -> bytes:
    """The program for a platform. Nothing of the machine goes into it: no path, no build id, no clock."""
    system, arch = platform.split("/")
    out = os.path.join(folder, "verifier" + (".exe" if system == "windows" else ""))
    stamp = os.environ.get("VERIFIER_STAMP", "")
    env = dict(os.environ, GOOS=system, GOARCH=arch, CGO_ENABLED="0")
    subprocess.run(
        [
            os.environ.get("GO", "go"),
            "build",
            "-trimpath",
            "-buildvcs=false",
            "-ldflags",
            "-s -w -buildid= " + stamp,
            "-o",
            out,
            "./cmd/verifier",
        ],
        cwd=ROOT,
        env=env,
        check=True,
    )
    return Path(out).read_bytes()


# The numbers of machines are those of the formats: ELF's e_machine, Mach-O's cputype and PE's Machine.
MACHINES: Dict[str, Dict[int, str]] = {
    "linux": {62: "amd64", 183: "arm64"},
    "darwin": {0x01000007: "amd64", 0x0100000C: "arm64"},
    "windows": {0x8664: "amd64", 0xAA64: "arm64"},
}


def platform_of(program: bytes) -> str:
    """The platform that a program is for, as Go names it, by its first bytes; "" where it is no program of a platform above.

    >>> platform_of(b"#!/bin/sh")
    ''
    """
    system, machine = "", 0
    if program[:6] == b"\x7fELF\x02\x01" and len(program) >= 20:  # 64 bits, little-endian
        system, machine = "linux", struct.unpack_from("<H", program, 18)[0]
    elif program[:4] == b"\xcf\xfa\xed\xfe" and len(program) >= 8:
        system, machine = "darwin", struct.unpack_from("<I", program, 4)[0]
    elif program[:2] == b"MZ" and len(program) >= 64:
        at = struct.unpack_from("<I", program, 60)[0]
        if program[at : at + 4] == b"PE\0\0" and len(program) >= at + 6:
            system, machine = "windows", struct.unpack_from("<H", program, at + 4)[0]
    arch = MACHINES.get(system, {}).get(machine, "")
    return "%s/%s" % (system, arch) if arch else ""


def write(out: Path, release: str, platform: str, program: bytes) -> Path:
    """Writes one wheel and returns its path. The program has to be that of the platform."""
    if platform_of(program) != platform:
        raise ValueError("the wheel for %s takes its program, got %s" % (platform, platform_of(program) or "none"))
    tag = PLATFORMS[platform]
    info = "%s-%s.dist-info" % (DISTRIBUTION, release)
    binary = "verifier/bin/verifier" + (".exe" if platform.startswith("windows/") else "")
    tags = "".join("Tag: py3-none-%s\n" % t for t in tag.split("."))
    files: List[Tuple[str, bytes]] = sources() + [(binary, program)]
    files += [
        (info + "/METADATA", metadata(release).encode()),
        (info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: false\n" + tags).encode()),
        (info + "/entry_points.txt", ENTRY_POINTS.encode()),
        (info + "/top_level.txt", b"verifier\n"),
        (info + "/LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]
    record = (
        "".join("%s,sha256=%s,%d\n" % (name, digest(data), len(data)) for name, data in files) + info + "/RECORD,,\n"
    )
    files.append((info + "/RECORD", record.encode()))
    out.mkdir(parents=True, exist_ok=True)
    path = out / ("%s-%s-py3-none-%s.whl" % (DISTRIBUTION, release, tag))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in files:
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = 3  # Unix, whatever it is written on: pip takes the permissions from it
            entry.external_attr = (0o100755 if name == binary else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return path


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(argv: Optional[List[str]] = None) -> None:
    parser = argparse.ArgumentParser(description="Writes the wheels of model-verifier.")
    parser.add_argument("--out", default="dist", type=Path)
    parser.add_argument("--only", action="append", choices=sorted(PLATFORMS), help="a platform; every one unless given")
    parser.add_argument("--binary", type=Path, help="a program that was built already, for the one platform of --only")
    given = parser.parse_args(argv)
    platforms = given.only or sorted(PLATFORMS)
    if given.binary and len(platforms) != 1:
        parser.error("--binary is of one platform: name it with --only")
    release = version()
    for platform in platforms:
        with tempfile.TemporaryDirectory() as folder:
            program = given.binary.read_bytes() if given.binary else compiled(platform, folder)
        path = write(given.out, release, platform, program)
        print("%s  %s" % (hashlib.sha256(path.read_bytes()).hexdigest(), path))


if __name__ == "__main__":
    main()
