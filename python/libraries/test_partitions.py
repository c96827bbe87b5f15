"""A search space in partitions, by Dask and by Ray on two processes: the answers are those of one process, in the same order."""

import itertools
import sys

import pytest
import verifier


def space(widths=range(1, 61), depths=(1, 2), kinds=("relu", "gelu")):
    """240 perceptrons, of which a third have a last layer that does not fit."""
    for n, (width, depth, kind) in enumerate(itertools.product(widths, depths, kinds)):
        components = [{"id": "in", "type": "input", "params": {"shape": [16]}}]
        for i in range(depth):
            components.append({"id": "fc%d" % i, "type": "linear", "params": {"outFeatures": width}})
            components.append({"id": "act%d" % i, "type": kind})
        wrong = width + 1 if n % 3 == 0 else width
        components.append({"id": "head", "type": "linear", "params": {"inFeatures": wrong, "outFeatures": 4}})
        components.append({"id": "out", "type": "output"})
        ids = [c["id"] for c in components]
        yield {"components": components, "connections": [{"from": a, "to": b} for a, b in zip(ids, ids[1:])]}


def verdicts(part):
    return [r.verdict for r in verifier.check_many(part)]


@pytest.fixture(scope="module")
def expected():
    alone = verdicts(space())
    assert len(alone) == 240 and alone.count("block") == 80
    return alone


def test_dask_maps_partitions_over_two_processes(expected):
    bag = pytest.importorskip("dask.bag")
    from dask.distributed import Client

    with Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1") as client:
        assert len(client.scheduler_info()["workers"]) == 2
        got = bag.from_sequence(space(), npartitions=4).map_partitions(verdicts).compute()
    assert got == expected


def test_ray_maps_batches_over_two_processes(expected):
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # a worker does not find pytest's modules
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    try:
        parts = [list(itertools.islice(space(), i * 60, (i + 1) * 60)) for i in range(4)]
        got = ray.get([ray.remote(verdicts).remote(part) for part in parts])
    finally:
        ray.shutdown()
    assert [v for part in got for v in part] == expected
