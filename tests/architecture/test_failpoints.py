"""Every transaction that an event waits for reaches a failpoint, and each of these has a name of its own.

That each of them is killed at is for `tests/faults/test_commit_boundaries.py`, which finds them itself.
"""

import ast
from collections import Counter
from collections.abc import Iterator

from tests.faults.boundaries.places import named, sources

TRANSACTIONS = {"atomic", "short_transaction", "counting"}
# Of which all that reaches these reaches a failpoint.
REACH_ONE = {"reached", "at_commit", "log_changes"}
# By why no event waits for them: killed there, nothing of it is lost or done twice.
NOT_ON_THE_WAY = {
    "accounts and keys, and who looks after a publisher": {
        "schema_registry/accounts/deletion.py",
        "schema_registry/accounts/invitations.py",
        "schema_registry/accounts/memberships.py",
        "schema_registry/accounts/services.py",
        "lesubscribe/account_deletion.py",
        "lesubscribe/security/sessions.py",
    },
    "the schema and the mappings of sites, by which events are read before they are accepted": {
        "schema_registry/services.py",
        "matching/nightly/mappings.py",
    },
    "what people do with their feed, which shows what was recorded before": {
        "matching/feed.py",
        "matching/hiding.py",
        "matching/seen.py",
    },
    "where and how people want to be told, and whether at all": {
        "notifications/bulk_terms.py",
        "notifications/channels.py",
        "notifications/preferences.py",
        "notifications/removal.py",
        "notifications/switch.py",
        "notifications/terms.py",
        "notifications/unsubscribing.py",
    },
    "mails that came back, which the mail service tells again until it is answered": {
        "notifications/bounces.py",
    },
    "forgetting what is over and done with, which goes on where it was stopped": {
        "matching/traffic/forgetting.py",
        "notifications/retention.py",
    },
    "the demo, which is loaded again if it was interrupted": {
        "lesubscribe/demo/account.py",
        "lesubscribe/demo/load.py",
        "lesubscribe/demo/opening.py",
    },
    "what begins a transaction for others, each of which is looked at": {
        "matching/traffic/adding.py",
        "notifications/turns.py",
    },
}
EVERY_KIND = """
with transaction.atomic():
    save()
with short_transaction():
    step()
with ExitStack() as stack:
    stack.enter_context(transaction.atomic())

def step():
    failpoints.at_commit("step")

@transaction.atomic
def save():
    pass

@transaction.atomic(durable=True)
def save_and_step():
    step()

@method_decorator(transaction.atomic)
class View:
    pass
"""


def test_every_transaction_reaches_a_failpoint_or_no_event_waits_for_it() -> None:
    found = {
        str(path): lines
        for path, text in sources()
        if any(name in text for name in TRANSACTIONS)
        and (lines := sorted(without_failpoint(ast.parse(text))))
    }
    listed = set().union(*NOT_ON_THE_WAY.values())
    assert {path: lines for path, lines in found.items() if path not in listed} == {}
    assert listed - found.keys() == set(), "what has no such transaction any more is not to be listed"
    assert sum(map(len, NOT_ON_THE_WAY.values())) == len(listed)


def test_transactions_of_every_kind_are_found() -> None:
    assert sorted(without_failpoint(ast.parse(EVERY_KIND))) == [2, 7, 13, 21]


def test_no_two_places_share_a_name() -> None:
    assert [place for place, times in Counter(named()).items() if times > 1] == []


def without_failpoint(module: ast.Module) -> Iterator[int]:
    """The lines of transactions in which none is reached, be it in a function of the same module."""
    reaching = functions_that_reach_one(module)
    elsewhere = {
        node for node in ast.walk(module) if isinstance(node, ast.Attribute) and node.attr == "atomic"
    }
    for node in ast.walk(module):
        if not isinstance(node, ast.With | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        beginning = _beginning(node)
        elsewhere -= {part for each in beginning for part in ast.walk(each)}
        if any(_mentioned(each) & TRANSACTIONS for each in beginning) and not any(
            _called(statement) & reaching for statement in node.body
        ):
            yield node.lineno
    yield from (node.lineno for node in elsewhere)  # nobody can tell from the text where it ends


def functions_that_reach_one(module: ast.Module) -> set[str]:
    functions = {node.name: _called(node) for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    reaching = set(REACH_ONE)
    while more := {name for name, calls in functions.items() if calls & reaching} - reaching:
        reaching |= more
    return reaching


def _beginning(node: ast.With | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.expr]:
    """What may begin a transaction around its body."""
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    return node.decorator_list


def _mentioned(node: ast.AST) -> set[str]:
    return {_name(each) for each in ast.walk(node)}


def _called(node: ast.AST) -> set[str]:
    """The names of all that is called in it."""
    return {_name(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
