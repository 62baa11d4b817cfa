"""Key tables and sorted runs against plain dicts and lists."""

import random

import numpy as np

from matching.algorithms.key_table import MISSING, KeyTable, pair, unpaired
from matching.algorithms.sorted_runs import SortedRuns, rows_between


def test_a_key_table_answers_like_a_dict_however_it_grew() -> None:
    rng = random.Random(11)
    table, known = KeyTable(), dict[int, int]()
    for _ in range(60):
        keys = [rng.randrange(500) << 32 | rng.randrange(4) for _ in range(rng.choice([0, 1, 1, 40]))]
        before = dict(known)
        numbers, fresh = table.number(np.array(keys, np.int64), len(known))
        assert fresh.tolist() == sorted(set(keys) - set(before))
        known |= {key: len(before) + place for place, key in enumerate(fresh.tolist())}
        assert numbers.tolist() == [known[key] for key in keys]
        asked = [*list(known)[:20], 7 << 40]
        assert table.find(np.array(asked, np.int64)).tolist() == [known.get(key, MISSING) for key in asked]
    assert len(table) == len(known) > 100
    assert dict(zip(*(array.tolist() for array in table.items()), strict=True)) == known


def test_a_pair_is_a_key_and_back() -> None:
    owners, labels = np.array([0, 5, 2**31 - 1]), np.array([3, 0, 2**31 - 1])
    assert [part.tolist() for part in unpaired(pair(owners, labels))] == [owners.tolist(), labels.tolist()]


def test_sorted_runs_stay_sorted_while_rows_come_and_go() -> None:
    rng = random.Random(5)
    runs, plain = SortedRuns(np.float64, number=np.int64), dict[int, dict[float, int]]()
    for step in range(300):
        if step % 30 == 0:
            runs.add_owners(3)
            plain |= {len(plain) + more: {} for more in range(3)}
        present = [(owner, key) for owner, rows in plain.items() for key in rows]
        if rng.random() < 0.3 and present:
            owner, key = rng.choice(present)
            runs.remove(owner, key)
            del plain[owner][key]
        else:
            wanted = {
                (rng.choice(list(plain)), rng.random()): rng.randrange(99)
                for _ in range(rng.choice([1, 1, 9]))
            }
            owners, keys = zip(*wanted, strict=True)
            runs.insert(np.array(owners), np.array(keys), number=np.array(list(wanted.values())))
            for (owner, key), number in wanted.items():
                plain[owner][key] = number
        runs.check_invariants()
        asked = np.array([rng.choice(list(plain)) for _ in range(4)])
        low = rng.random()
        first, last = runs.bounds_from(asked, low)
        rows = rows_between(first, last)
        expected = [
            item for owner in asked.tolist() for item in sorted(plain[owner].items()) if item[0] >= low
        ]
        assert list(zip(runs.key[rows].tolist(), runs["number"][rows].tolist(), strict=True)) == expected
