from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...models.extension_request import ExtensionRequest
from ...models.problem import Problem
from ...models.version_answer import VersionAnswer
from ...types import Response


def _get_kwargs(
    event_type: str,
    *,
    body: ExtensionRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/schema/event-types/{event_type}/attributes".format(
            event_type=quote(str(event_type), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | VersionAnswer:
    if response.status_code == 201:
        response_201 = VersionAnswer.from_dict(response.json())

        return response_201

    response_default = Problem.from_dict(response.json())

    return response_default


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Problem | VersionAnswer]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    event_type: str,
    *,
    client: AuthenticatedClient,
    body: ExtensionRequest,
) -> Response[Problem | VersionAnswer]:
    """Add an optional attribute to an event type

     The answer names the version of the schema that has it.

    Args:
        event_type (str):
        body (ExtensionRequest): A body with these fields and no others: a misspelt one is told,
            not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | VersionAnswer]
    """

    kwargs = _get_kwargs(
        event_type=event_type,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    event_type: str,
    *,
    client: AuthenticatedClient,
    body: ExtensionRequest,
) -> Problem | VersionAnswer | None:
    """Add an optional attribute to an event type

     The answer names the version of the schema that has it.

    Args:
        event_type (str):
        body (ExtensionRequest): A body with these fields and no others: a misspelt one is told,
            not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | VersionAnswer
    """

    return sync_detailed(
        event_type=event_type,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    event_type: str,
    *,
    client: AuthenticatedClient,
    body: ExtensionRequest,
) -> Response[Problem | VersionAnswer]:
    """Add an optional attribute to an event type

     The answer names the version of the schema that has it.

    Args:
        event_type (str):
        body (ExtensionRequest): A body with these fields and no others: a misspelt one is told,
            not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | VersionAnswer]
    """

    kwargs = _get_kwargs(
        event_type=event_type,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    event_type: str,
    *,
    client: AuthenticatedClient,
    body: ExtensionRequest,
) -> Problem | VersionAnswer | None:
    """Add an optional attribute to an event type

     The answer names the version of the schema that has it.

    Args:
        event_type (str):
        body (ExtensionRequest): A body with these fields and no others: a misspelt one is told,
            not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | VersionAnswer
    """

    return (
        await asyncio_detailed(
            event_type=event_type,
            client=client,
            body=body,
        )
    ).parsed
