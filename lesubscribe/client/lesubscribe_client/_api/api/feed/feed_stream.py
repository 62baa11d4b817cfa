from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    last_event_id_query: int | Unset = UNSET,
    last_event_id_header: int | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id_header, Unset):
        headers["Last-Event-ID"] = str(last_event_id_header)

    params: dict[str, Any] = {}

    params["last_event_id"] = last_event_id_query

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/feed/stream",
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | str | None:
    if response.status_code == 200:
        response_200 = response.text
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

    if response.status_code == 406:
        response_406 = Problem.from_dict(response.json())

        return response_406

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
) -> Response[Problem | str]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    last_event_id_query: int | Unset = UNSET,
    last_event_id_header: int | Unset = UNSET,
) -> Response[Problem | str]:
    """Your matches as they come, as Server-Sent Events

     Each `match` event has one match as in `GET matches` in its `data`, and its number in your feed as
    its `id`. Send the last one back and you continue without a gap and without a repeat; without it you
    get what comes from now on. A comment is sent when there is nothing for a while.

    Args:
        last_event_id_query (int | Unset):
        last_event_id_header (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | str]
    """

    kwargs = _get_kwargs(
        last_event_id_query=last_event_id_query,
        last_event_id_header=last_event_id_header,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    last_event_id_query: int | Unset = UNSET,
    last_event_id_header: int | Unset = UNSET,
) -> Problem | str | None:
    """Your matches as they come, as Server-Sent Events

     Each `match` event has one match as in `GET matches` in its `data`, and its number in your feed as
    its `id`. Send the last one back and you continue without a gap and without a repeat; without it you
    get what comes from now on. A comment is sent when there is nothing for a while.

    Args:
        last_event_id_query (int | Unset):
        last_event_id_header (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | str
    """

    return sync_detailed(
        client=client,
        last_event_id_query=last_event_id_query,
        last_event_id_header=last_event_id_header,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    last_event_id_query: int | Unset = UNSET,
    last_event_id_header: int | Unset = UNSET,
) -> Response[Problem | str]:
    """Your matches as they come, as Server-Sent Events

     Each `match` event has one match as in `GET matches` in its `data`, and its number in your feed as
    its `id`. Send the last one back and you continue without a gap and without a repeat; without it you
    get what comes from now on. A comment is sent when there is nothing for a while.

    Args:
        last_event_id_query (int | Unset):
        last_event_id_header (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | str]
    """

    kwargs = _get_kwargs(
        last_event_id_query=last_event_id_query,
        last_event_id_header=last_event_id_header,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    last_event_id_query: int | Unset = UNSET,
    last_event_id_header: int | Unset = UNSET,
) -> Problem | str | None:
    """Your matches as they come, as Server-Sent Events

     Each `match` event has one match as in `GET matches` in its `data`, and its number in your feed as
    its `id`. Send the last one back and you continue without a gap and without a repeat; without it you
    get what comes from now on. A comment is sent when there is nothing for a while.

    Args:
        last_event_id_query (int | Unset):
        last_event_id_header (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | str
    """

    return (
        await asyncio_detailed(
            client=client,
            last_event_id_query=last_event_id_query,
            last_event_id_header=last_event_id_header,
        )
    ).parsed
