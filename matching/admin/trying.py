"""Trying a mapping on rows that are pasted, or on a file that lies in the feeds of its site."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching.feeds.mapping import FeedMapping
from matching.feeds.parquet_rows import DamagedFile
from matching.feeds.reading import UnreadableFile, csv_rows, jsonl_rows, rows_of
from matching.feeds.sources import Row
from matching.feeds.trying import Trial, TriedRow, tried
from matching.models import SiteMapping
from schema_registry.core.json_input import MAX_BYTES
from schema_registry.selectors import current_schema

MOST_ROWS = 1_000
SHOWN = 10
MOST_READ = 20_000_000  # bytes of a file, unpacked


def written(*, rows: int) -> forms.Textarea:
    """A field for what programs read."""
    return forms.Textarea(attrs={"rows": rows, "class": "vLargeTextField definition", "spellcheck": "false"})


class TryForm(forms.Form):
    rows = forms.CharField(
        label=gettext_lazy("Rows"),
        required=False,
        strip=False,
        max_length=MAX_BYTES,
        widget=written(rows=12),
        help_text=gettext_lazy("JSON Lines, or CSV with its header."),
    )
    file = forms.CharField(
        label=gettext_lazy("Or a file"),
        required=False,
        max_length=300,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=gettext_lazy("Among the feeds of the site, such as 2026-11-16/lots.jsonl."),
    )

    def __init__(self, mapping: SiteMapping, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._site = mapping.site
        self._mapping = FeedMapping.from_dict(mapping.document)
        self.trial: Trial | None = None

    def clean(self) -> dict[str, Any]:
        """It is tried here: that a file cannot be read shows only then."""
        entered = self.cleaned_data
        if bool(entered.get("rows", "").strip()) == bool(entered.get("file")):
            raise ValidationError(_("Paste some rows, or name a file."))
        rows = self._rows_of_the_file(entered["file"]) if entered["file"] else self._pasted(entered["rows"])
        try:
            self.trial = tried(self._mapping, current_schema(), rows, most_rows=MOST_ROWS, shown=SHOWN)
        except UnreadableFile:
            self.add_error("file", _("Only JSON Lines, CSV and Parquet can be tried here."))
        except (OSError, EOFError, zlib.error, DamagedFile):
            self.add_error("file", _("The file cannot be read; perhaps it is cut."))
        return entered

    def _rows_of_the_file(self, name: str) -> Iterator[Row]:
        """A file outside of the site's feeds is not there, whoever asks.

        Feeds come from outside: a bomb or an endless line is read no further than a page needs.
        """
        folder = (Path(settings.FEEDS) / self._site).resolve()
        try:
            path = (folder / name).resolve()
            is_there = path.is_relative_to(folder) and path.is_file()
        except (OSError, ValueError):  # a name that no file can have
            is_there = False
        if not is_there:
            raise ValidationError({"file": _("There is no such file among the feeds of the site.")})
        return rows_of(path, self._mapping.format, most_bytes=MOST_READ, longest_line=MAX_BYTES)

    def _pasted(self, text: str) -> Iterator[Row]:
        """What begins as JSON does is taken for that. It comes as text, whatever files are encoded in."""
        form = self._mapping.format
        lines = [line.encode(form.encoding, "replace") for line in text.splitlines()]
        read = jsonl_rows if text.lstrip()[:1] in ("{", "[") else csv_rows
        return read(lines, form)


def in_words(row: TriedRow) -> dict[str, Any]:
    """A row before and after, for a page."""
    after = None if row.after is None else json.dumps(row.after, indent=2, ensure_ascii=False)
    before = json.dumps(dict(row.before), indent=2, ensure_ascii=False)
    return {"number": row.number, "before": before, "after": after, "rejects": row.rejects}
