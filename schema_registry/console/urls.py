"""The addresses of the console, below `publish`; those of matching follow in its own list."""

from django.urls import URLPattern, path

from schema_registry.console import extensions, keys, members, pages, views

urlpatterns: list[URLPattern] = [
    path("", pages.index, name="publish"),
    path("/invitations/<int:invitation>", members.answer, name="publish-invitation"),
    path("/<int:number>/keys", keys.keys, name="publish-keys"),
    path("/<int:number>/keys/<int:key>/rotate", keys.rotate, name="publish-key-rotate"),
    path("/<int:number>/keys/<int:key>/revoke", keys.revoke, name="publish-key-revoke"),
    path("/<int:number>/keys/<int:key>/restore", keys.restore, name="publish-key-restore"),
    path("/<int:number>/members", members.members, name="publish-members"),
    path("/<int:number>/members/leave", members.leave, name="publish-leave"),
    path(
        "/<int:number>/members/invited/<int:invitation>/take-back",
        members.take_back,
        name="publish-invitation-take-back",
    ),
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
