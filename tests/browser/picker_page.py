"""A page with tree pickers only, as a form of any other page would have them."""

from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

from lesubscribe.urls import urlpatterns as own
from schema_registry.selectors import current_schema
from schema_registry.value_index import named_values

PICKER = "schema_registry/parts/picker.html"
PAGE = """{% extends "base.html" %}{% load static %}
{% block head_title %}Pickers{% endblock %}
{% block extra_head %}
  <link rel="stylesheet" href="{% static 'css/picker.css' %}">
  <script src="{% static 'js/tree.js' %}" defer></script>
  <script src="{% static 'js/picker.js' %}" defer></script>
{% endblock %}
{% block content %}<h1>Pickers</h1><form action="/sent">
  {% include picker with domain="category" name="kind" values=chosen label="Category" id="kinds" multiple=1 %}
  {% include picker with domain="period" name="period" label="Period" %}
  <button>Send</button>
</form>{% endblock %}"""


def pickers(request: HttpRequest) -> HttpResponse:
    chosen = named_values(current_schema(), "category", request.GET.getlist("kind"))
    return HttpResponse(
        engines["django"].from_string(PAGE).render({"chosen": chosen, "picker": PICKER}, request)
    )


def sent(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.META["QUERY_STRING"], content_type="text/plain")


urlpatterns = [*own, path("pickers", pickers), path("sent", sent)]
