"""Every example of docs/python.md is run as it stands there, one after the other."""

import doctest
import os
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"


def test_the_examples_of_the_page(tmp_path, monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    examples = "\n".join(b for b in blocks if b.startswith(">>>"))
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(examples, {}, "docs/python.md", str(PAGE), 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=said.append)
    assert runner.failures == 0 and runner.tries >= 8, "".join(said)
    assert os.getcwd() == str(tmp_path)
