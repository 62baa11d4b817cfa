"""`looks_like(image, 'd1c4b2f08e5a3b9c', ?bits)`: how many of 64 bits of perceptual hashes differ.

Up to about 10 it is nearly always the same picture in another size or quality. The event carries the hash
itself, as 16 hexadecimal digits, or a small picture as a `data:` URL or in base64; nothing is ever fetched.
Pictures come from strangers, so they are decoded in a process apart, and their size is read before they are.
"""

import binascii
import io
import re
from base64 import b64decode

from matching.operators.builtin import MOST_VALUES
from matching.operators.declaring import each, operator
from schema_registry.core.domains import Value
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_noop
from schema_registry.core.wording import shown

MOST_PIXELS = 4_000_000
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_HASH = re.compile(r"[0-9a-fA-F]{16}")
_DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,")


def _load() -> None:
    """What takes long to import, before the first picture."""
    import imagehash  # noqa: F401
    import PIL.Image
    import scipy.fftpack  # type: ignore[import-untyped]  # noqa: F401

    PIL.Image.init()


def _a_hash(name: str, constant: Value) -> str | None:
    if name == "hash" and not _HASH.fullmatch(str(constant)):
        return _("{value} is not a hash: it has 16 digits from 0 to f.", value=shown(constant))
    return None


@operator(
    "looks_like(image: string, hash: string, ?bits: number)",
    cost=0.005,
    time_limit=2.0,
    description=gettext_noop("In how many bits of 64 the perceptual hashes of two pictures differ."),
    prepare=_load,
    check_constant=_a_hash,
    label=gettext_noop("alike picture"),
    sentence=gettext_noop("{image} {bits} bits off the picture {hash}"),
)
def looks_like(image: Value | tuple[Value, ...], hash: Value | tuple[Value, ...]) -> list[tuple[int]]:  # noqa: A002
    """A row for each of the first 20 pictures that can be read."""
    hashes = [found for one in each(image, MOST_VALUES) if (found := hash_of(str(one))) is not None]
    wanted = [int(str(other), 16) for other in each(hash, MOST_VALUES) if _HASH.fullmatch(str(other))]
    return [((found ^ other).bit_count(),) for found in hashes for other in wanted]


def hash_of(written: str) -> int | None:
    """The hash that is written there, or that of the picture; None if it is neither."""
    if _HASH.fullmatch(written):
        return int(written, 16)
    url = _DATA_URL.match(written)
    try:
        picture = b64decode(written[url.end() if url else 0 :], validate=True)
    except (binascii.Error, ValueError):
        return None
    return hash_of_picture(picture) if picture else None


def hash_of_picture(picture: bytes) -> int | None:
    """The 64 bits of imagehash's `phash`; None for what cannot be read, or has more than 4 million pixels."""
    import imagehash
    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(picture), formats=_FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            image.draft("L", (256, 256))
            return int(str(imagehash.phash(image)), 16)
    except Exception:  # decoders raise whatever they like at what is broken
        return None
