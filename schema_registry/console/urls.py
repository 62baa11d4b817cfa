"""The addresses of the console, below `publish`; those of matching follow in its own list."""

from django.urls import URLPattern, path

from schema_registry.console import extensions, pages, views

urlpatterns: list[URLPattern] = [
    path("", pages.index, name="publish"),
    path("/<int:number>/schema", extensions.schema, name="publish-schema"),
    *(
        path(
            f"/<int:number>/schema/{name.removeprefix('publish-schema-')}",
            extensions.extend,
            {"rule": name},
            name=name,
        )
        for name in extensions.FORMS
    ),
    path("/<int:number>/views", views.views, name="publish-views"),
    path("/<int:number>/views/new", views.new, name="publish-view-new"),
    path("/<int:number>/views/undo", views.undo, name="publish-view-undo"),
    path("/<int:number>/views/<int:view>", views.view, name="publish-view"),
    path("/<int:number>/views/<int:view>/delete", views.delete, name="publish-view-delete"),
]
