"""Seeded workloads, the papers', our peers' and our own: subscriptions as columns, and validated events.

`create("lesubscribe", seed=1, p=0.3)` gives a `Workload`; `names()` lists them. One module per workload.
"""

from dataclasses import fields
from typing import Any

from matching.workloads.aguilera import Aguilera
from matching.workloads.auction import Auction
from matching.workloads.base import Workload
from matching.workloads.debs07 import Debs07
from matching.workloads.dexin import Dexin
from matching.workloads.lesubscribe import LeSubscribe
from matching.workloads.peers_eq import PeersEq
from matching.workloads.peers_mixed import PeersMixed
from matching.workloads.peers_range import PeersRange
from matching.workloads.topss import Topss

__all__ = ["Workload", "create", "names"]

_WORKLOADS: dict[str, type[Workload]] = {
    "lesubscribe": LeSubscribe,
    "topss": Topss,
    "dexin": Dexin,
    "aguilera": Aguilera,
    "debs07": Debs07,
    "peers-eq": PeersEq,
    "peers-range": PeersRange,
    "peers-mixed": PeersMixed,
    "auction": Auction,
}


def names() -> tuple[str, ...]:
    """The names that `create` knows."""
    return tuple(_WORKLOADS)


def create(name: str, *, seed: int = 0, **parameters: Any) -> Workload:
    """The workload of this name. Raises ValueError for a name, parameter or value that makes no sense."""
    if name not in _WORKLOADS:
        raise ValueError(f"There is no workload '{name}'; there are {', '.join(_WORKLOADS)}.")
    kind = _WORKLOADS[name]
    known = [field.name for field in fields(kind) if field.name != "seed"]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"'{name}' has no parameter '{parameter}'; it has {', '.join(known)}.")
    return kind(seed=seed, **parameters)
