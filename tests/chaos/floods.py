"""A flood: several publishers send large batches at once, beside all else that goes on."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from tests.chaos.client import NoAnswerError, WrongAnswerError
from tests.chaos.publisher import Publisher

BATCH = 250


class Flood:
    """One at a time; `notice` is told of a publisher that could not go on."""

    def __init__(
        self, publishers: Sequence[Publisher], *, events: int, notice: Callable[[str], None]
    ) -> None:
        self._publishers = publishers
        self._batches = max(1, events // (BATCH * len(publishers)))
        self._notice = notice
        self._pool = ThreadPoolExecutor(len(publishers))
        self._under_way: list[Future[None]] = []
        self._counting = Lock()
        self.events = 0

    def begin(self) -> bool:
        """Unless there is one."""
        if not all(future.done() for future in self._under_way):
            return False
        self._look_back()
        self._under_way = [self._pool.submit(self._send, publisher) for publisher in self._publishers]
        return True

    def close(self) -> None:
        """When the last one is over."""
        self._pool.shutdown()
        self._look_back()

    def _look_back(self) -> None:
        """Whatever went wrong in a thread is raised here: events nobody wrote down would not be judged."""
        for future in self._under_way:
            future.result()

    def _send(self, publisher: Publisher) -> None:
        for _ in range(self._batches):
            try:
                sent = publisher.publish_batch(BATCH)
            except (NoAnswerError, WrongAnswerError) as error:
                self._notice(f"a publisher of a flood: {error}")
                return
            with self._counting:
                self.events += sent
