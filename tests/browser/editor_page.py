"""The editor alone on a page of its own, beside all our other addresses."""

from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

from lesubscribe.urls import urlpatterns as addresses

PAGE = """{% extends "base.html" %}
{% load static %}
{% block head_title %}Editor{% endblock %}
{% block extra_head %}
  <link rel="stylesheet" href="{% static 'css/editor.css' %}">
  <script type="module" src="{% static 'js/editor.js' %}"></script>
{% endblock %}
{% block content %}
  <h1>Editor</h1>
  <form>
    {% include "lesubscribe/parts/editor.html" with name="text" value=value label="What you look for" %}
    <button>Save</button>
  </form>
{% endblock %}"""


def editor(request: HttpRequest) -> HttpResponse:
    page = engines["django"].from_string(PAGE)
    return HttpResponse(page.render({"value": request.GET.get("text", "")}, request))


urlpatterns = [path("editor", editor), *addresses]
