"""The addresses of the schema browser and of the language for editors, open to all."""

from django.urls import URLPattern, path

from schema_registry import pages, pages_history, pages_language, pages_values

BROWSER: list[URLPattern] = [
    path("schema", pages.index, name="schema"),
    path("schema/types/<str:name>", pages.event_type, name="schema-type"),
    path("schema/attributes/<str:name>", pages.attribute, name="schema-attribute"),
    path("schema/domains/<str:name>", pages.domain, name="schema-domain"),
    path("schema/domains/<str:name>/values", pages_values.values, name="schema-values"),
    path("schema/history", pages_history.versions, name="schema-history"),
    path("schema/history/<int:version>", pages_history.version, name="schema-version"),
]

LANGUAGE: list[URLPattern] = [
    path("language/completions", pages_language.completions, name="language-completions"),
    path("language/check", pages_language.check, name="language-check"),
]

urlpatterns: list[URLPattern] = [*BROWSER, *LANGUAGE]
