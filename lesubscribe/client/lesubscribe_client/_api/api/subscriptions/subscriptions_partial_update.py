from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.changed_document import ChangedDocument
from ...models.patched_changed_subscription import PatchedChangedSubscription
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    number: int,
    *,
    body: PatchedChangedSubscription | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/v1/subscriptions/{number}".format(
            number=quote(str(number), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ChangedDocument | Problem | None:
    if response.status_code == 200:
        response_200 = ChangedDocument.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 406:
        response_406 = Problem.from_dict(response.json())

        return response_406

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 415:
        response_415 = Problem.from_dict(response.json())

        return response_415

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[ChangedDocument | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    number: int,
    *,
    client: AuthenticatedClient,
    body: PatchedChangedSubscription | Unset = UNSET,
) -> Response[ChangedDocument | Problem]:
    """Edit, pause, mute or resume

    Args:
        number (int):
        body (PatchedChangedSubscription | Unset): A body with these fields and no others: a
            misspelt one is told, not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChangedDocument | Problem]
    """

    kwargs = _get_kwargs(
        number=number,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    number: int,
    *,
    client: AuthenticatedClient,
    body: PatchedChangedSubscription | Unset = UNSET,
) -> ChangedDocument | Problem | None:
    """Edit, pause, mute or resume

    Args:
        number (int):
        body (PatchedChangedSubscription | Unset): A body with these fields and no others: a
            misspelt one is told, not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChangedDocument | Problem
    """

    return sync_detailed(
        number=number,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    number: int,
    *,
    client: AuthenticatedClient,
    body: PatchedChangedSubscription | Unset = UNSET,
) -> Response[ChangedDocument | Problem]:
    """Edit, pause, mute or resume

    Args:
        number (int):
        body (PatchedChangedSubscription | Unset): A body with these fields and no others: a
            misspelt one is told, not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChangedDocument | Problem]
    """

    kwargs = _get_kwargs(
        number=number,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    number: int,
    *,
    client: AuthenticatedClient,
    body: PatchedChangedSubscription | Unset = UNSET,
) -> ChangedDocument | Problem | None:
    """Edit, pause, mute or resume

    Args:
        number (int):
        body (PatchedChangedSubscription | Unset): A body with these fields and no others: a
            misspelt one is told, not passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChangedDocument | Problem
    """

    return (
        await asyncio_detailed(
            number=number,
            client=client,
            body=body,
        )
    ).parsed
