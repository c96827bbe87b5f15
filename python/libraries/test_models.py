"""Counts are those of PyTorch, and no model that runs on the meta device is refused."""

import pytest

import models


def test_counts_and_verdicts(model, rows):
    row = models.measure(*model)
    rows.append(models.as_dict(row))
    if row.error.startswith(("not built", "does not run")) and row.counted is None:
        pytest.skip(row.error)
    assert not row.error or row.error.startswith("does not run"), row.error
    assert row.counted == row.params
    assert row.verdict != "block" or not row.runs, row.notes
