"""Parameters in the address of a request: one that is misspelt is told, not passed over."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from schema_registry.core.sentences import gettext as _

DRY_RUN = OpenApiParameter(
    "dry_run", bool, description="With `true` everything is checked as usual, and nothing is stored."
)
_MOST_NAMED = 10


def is_dry_run(request: Request) -> bool:
    """Raises ValidationError unless `dry_run` is all there is, and true or false."""
    refuse_parameters_but(request, "dry_run")
    match request.query_params.getlist("dry_run"):
        case []:
            return False
        case [("true" | "false") as word]:
            return word == "true"
    raise ValidationError({"dry_run": _("This must be true or false.")})


def refuse_parameters_but(request: Request, *known: str) -> None:
    """Raises ValidationError."""
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        message = _("There is no such parameter here.")
        if known:
            message = _("There is no such parameter here; there is {known}.", known=", ".join(known))
        raise ValidationError(dict.fromkeys(unknown[:_MOST_NAMED], message))
