"""REST: the operators that subscriptions may call."""

import json
from functools import lru_cache
from hashlib import sha256

from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views.decorators.http import condition
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from schema_registry.core.sentences import again
from schema_registry.known_operators import OPERATORS


class ArgumentDocument(serializers.Serializer):
    name = serializers.CharField()
    type = serializers.ChoiceField(["number", "string", "any"])
    is_result = serializers.BooleanField(help_text="Whether a variable stands here, and gets a value.")


class OperatorDocument(serializers.Serializer):
    name = serializers.CharField()
    signature = serializers.CharField(help_text="How it is called, such as distance(location, place, ?km).")
    description = serializers.CharField()
    arguments = ArgumentDocument(many=True)


def operators_etag(request: Request) -> str:
    return f'"{sha256(_rendered(get_language())).hexdigest()[:24]}"'


class OperatorsEndpoint(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="operators_list",
        responses={200: OperatorDocument(many=True), 304: None},
        summary="The operators that subscriptions may call",
    )
    @method_decorator(condition(etag_func=operators_etag))
    def get(self, request: Request) -> HttpResponse:
        body = _rendered(get_language())
        return HttpResponse(body, content_type="application/json", headers={"Cache-Control": "no-cache"})


@lru_cache(maxsize=8)
def _rendered(language: str | None) -> bytes:
    """In the language that is active, which is named only for the cache to keep them apart."""
    found = [
        {
            "name": name,
            "signature": OPERATORS[name].signature,
            "description": again(OPERATORS[name].description),
            "arguments": [
                {"name": each.name, "type": each.type, "is_result": each.is_result}
                for each in OPERATORS[name].arguments
            ],
        }
        for name in sorted(OPERATORS)
    ]
    return json.dumps(found, ensure_ascii=False).encode()
