"""Servers that do what a web server should not."""

import contextlib
import socket
import ssl
from pathlib import Path
from threading import Event, Thread
from typing import Self

CERTIFICATE = Path(__file__).with_name("shop_example.pem")


class Listener:
    """Counts the connections that are made to it."""

    def __init__(self, family: int, host: str, port: int) -> None:
        self._server = socket.socket(family)
        self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            self._server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self._server.bind((host, port))
        self._server.listen(50)
        self._server.setblocking(False)

    def connections(self) -> int:
        count = 0
        while True:
            try:
                accepted, _ = self._server.accept()
            except BlockingIOError:
                return count
            accepted.close()
            count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self._server.close()


class _Threaded:
    """A server on loopback whose thread ends with the test."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._stopping = Event()
        self._thread = Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):  # it may have gone by itself
            self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while not self._stopping.is_set():
                connection, _ = self._server.accept()
                with connection, contextlib.suppress(OSError):
                    self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        raise NotImplementedError


class Dripping(_Threaded):
    """Says something, and then five bytes a second for ever, or no more."""

    def __init__(self, said: bytes, *, closes: bool = False, speaks_first: bool = False) -> None:
        super().__init__()
        self._said = said
        self._closes = closes
        self._speaks_first = speaks_first

    def _talk(self, connection: socket.socket) -> None:
        if not self._speaks_first:
            connection.recv(65_536)
        connection.sendall(self._said)
        while not self._closes and not self._stopping.wait(0.2):
            connection.sendall(b"\0")


class Secure(_Threaded):
    """The https server of shop.example; `names` are those its clients asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str | None] = []
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(CERTIFICATE)
        self._context.sni_callback = self._note

    def _note(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        self.names.append(name)

    def _talk(self, connection: socket.socket) -> None:
        with self._context.wrap_socket(connection, server_side=True) as secured:
            while not secured.recv(65_536).endswith(b"{}"):
                pass
            secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK")
