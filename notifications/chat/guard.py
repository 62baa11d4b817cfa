"""What a plug-in finds in place of `requests`: the same calls, over our own guarded connections.

Plug-ins call `requests.post` by the name that their module imported. In the modules of our services, and
nowhere else, that name leads here: `requests` itself stays as it is for all who use it. Each call goes out by
`Outbound`, so it is resolved once, to a public address only, follows no redirect, reads a bounded answer, and
all calls of a message share one deadline. A plug-in that is called outside of `calling` reaches nobody.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from notifications.outbound import Answer, NoAnswer, Outbound, Refused
from schema_registry.core.sentences import gettext as _

MOST_REQUESTS = 5  # for a message; most plug-ins need one
_TOO_MANY_REQUESTS = 429
_OF_A_REQUEST = ("headers", "files", "data", "params", "auth", "json")
_HARMLESS = frozenset({"codes", "exceptions", "RequestException"})


class Call:
    """A message on its way: where it may go, until when, and what came of it last."""

    def __init__(self, outbound: Outbound, hosts: Collection[str]) -> None:
        self._outbound = outbound
        self._hosts = {host.lower().strip("[]") for host in hosts}
        self._ends_at = outbound.deadline()
        self._left = MOST_REQUESTS
        self.last: Answer | Refused | NoAnswer | None = None

    def send(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> Answer | None:
        """None unless there is an answer; `last` says why."""
        try:
            self._check(url)
            answer = self._outbound.request(method, url, body, headers, ends_at=self._ends_at)
        except (Refused, NoAnswer) as failure:
            self.last = failure
            return None
        self.last = answer
        return answer

    def _check(self, url: str) -> None:
        """Raises Refused."""
        host = urlsplit(url).hostname or ""
        if host not in self._hosts:
            sentence = _("The message was to go to {host}, which is not where it belongs.", host=host)
            raise Refused(sentence, is_forever=True)
        self._left -= 1
        if self._left < 0:
            raise Refused(_("It takes too many requests."))

    @property
    def may_go_on(self) -> bool:
        """Some plug-ins wait and ask again; our own schedule does that."""
        return not (isinstance(self.last, Answer) and self.last.status == _TOO_MANY_REQUESTS)


_under_way: ContextVar[Call | None] = ContextVar("chat_call", default=None)


@contextmanager
def calling(outbound: Outbound, *, hosts: Collection[str]) -> Iterator[Call]:
    """Within it, plug-ins of this thread may send to these hosts."""
    call = Call(outbound, hosts)
    token = _under_way.set(call)
    try:
        yield call
    finally:
        _under_way.reset(token)


class GuardedRequests:
    """Stands for the module `requests`, as far as plug-ins need it. All else is not there."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HARMLESS:
            raise AttributeError(f"requests.{name} is not for plug-ins")
        import requests

        return getattr(requests, name)

    def get(self, url: str, **options: Any) -> Any:
        return self.request("GET", url, **options)

    def post(self, url: str, **options: Any) -> Any:
        return self.request("POST", url, **options)

    def put(self, url: str, **options: Any) -> Any:
        return self.request("PUT", url, **options)

    def request(self, method: str, url: str, **options: Any) -> Any:
        """Whether to verify a certificate, to follow a redirect, how long to wait: not theirs to say."""
        import requests

        call = _under_way.get()
        if call is None or not call.may_go_on:
            raise requests.RequestException("not now")
        asked = {name: options[name] for name in _OF_A_REQUEST if name in options}
        prepared = requests.Request(method.upper(), url, **asked).prepare()
        headers = {str(name): str(value) for name, value in prepared.headers.items()}
        answer = call.send(prepared.method or "", prepared.url or "", _bytes(prepared.body), headers)
        if answer is None:
            raise requests.RequestException("no answer")
        return _response(answer)


GUARDED = GuardedRequests()


def _bytes(body: Any) -> bytes | None:
    """What `prepare` makes of texts and fields; a file would be read bit by bit, and none of ours has one."""
    assert body is None or isinstance(body, bytes | str)
    return body.encode() if isinstance(body, str) else body


def _response(answer: Answer) -> Any:
    import requests
    from requests.structures import CaseInsensitiveDict

    response = requests.Response()
    response.status_code = answer.status
    response.headers = CaseInsensitiveDict(answer.headers)
    response._content = answer.body
    response.encoding = "utf-8"
    return response
