"""A form as a browser without scripts sends it: what its fields hold, changed as somebody would."""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from django.test import Client


class PlainForm(HTMLParser):
    """The successful controls of the page's form with this id, by name."""

    def __init__(self, page: str, form: str) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self.buttons: list[str] = []
        self.errors: dict[str, str] = {}
        self.options: dict[str, list[str]] = {}
        self._form, self._is_inside = form, False
        self._select = ""
        self._textarea: str | None = None
        self._error: str | None = None
        self._is_template = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_inside = of.get("id") == self._form
        elif tag == "p" and of.get("id", "").startswith("error-"):
            self._error = of["id"].removeprefix("error-")
            self.errors[self._error] = ""
        elif not self._is_inside:
            return
        elif tag == "button" and of.get("name") == "do":
            self.buttons.append(of["value"])
        elif tag == "textarea":
            self._textarea = of["name"]
            self.fields[self._textarea] = [""]
        elif tag == "select":
            self._select = of["name"]
        elif tag == "option":
            self._option(of)
        elif tag == "template":
            self._is_template = True
        elif tag == "input" and of.get("name") and not self._is_template:
            is_box = of.get("type") in ("checkbox", "radio")
            if not is_box or "checked" in of:
                self.fields.setdefault(of["name"], []).append(of.get("value", "on" if is_box else ""))

    def _option(self, of: Mapping[str, str]) -> None:
        options = self.options.setdefault(self._select, [])
        options.append(of.get("value", ""))
        if "selected" in of or len(options) == 1:
            self.fields[self._select] = [of.get("value", "")]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False
        elif tag == "textarea" and self._textarea is not None:
            self.fields[self._textarea] = [self.fields[self._textarea][0].removeprefix("\n")]
            self._textarea = None
        elif tag == "p":
            self._error = None
        elif tag == "template":
            self._is_template = False

    def handle_data(self, data: str) -> None:
        if self._textarea is not None:
            self.fields[self._textarea][0] += data
        if self._error is not None:
            self.errors[self._error] += data

    def value(self, name: str) -> str:
        return self.fields[name][-1]

    def sent(self, **changed: Any) -> dict[str, Any]:
        """The fields with these changes; None leaves one out."""
        fields: dict[str, Any] = {**self.fields, **changed}
        return {name: value for name, value in fields.items() if value is not None}


def opened(client: Client, address: str, form: str) -> PlainForm:
    answer = client.get(address)
    assert answer.status_code == 200
    return PlainForm(answer.content.decode(), form)
