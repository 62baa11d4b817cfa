from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.match_page import MatchPage
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    cursor: str | Unset = UNSET,
    page_size: int | Unset = UNSET,
    seen: bool | Unset = UNSET,
    subscription: int | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["cursor"] = cursor

    params["page_size"] = page_size

    params["seen"] = seen

    params["subscription"] = subscription

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/matches",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> MatchPage | Problem | None:
    if response.status_code == 200:
        response_200 = MatchPage.from_dict(response.json())

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
) -> Response[MatchPage | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    page_size: int | Unset = UNSET,
    seen: bool | Unset = UNSET,
    subscription: int | Unset = UNSET,
) -> Response[MatchPage | Problem]:
    """Your matches, newest first, each with the reason

     Items that you have hidden in your feed are not among them.

    Args:
        cursor (str | Unset):
        page_size (int | Unset):
        seen (bool | Unset):
        subscription (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[MatchPage | Problem]
    """

    kwargs = _get_kwargs(
        cursor=cursor,
        page_size=page_size,
        seen=seen,
        subscription=subscription,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    page_size: int | Unset = UNSET,
    seen: bool | Unset = UNSET,
    subscription: int | Unset = UNSET,
) -> MatchPage | Problem | None:
    """Your matches, newest first, each with the reason

     Items that you have hidden in your feed are not among them.

    Args:
        cursor (str | Unset):
        page_size (int | Unset):
        seen (bool | Unset):
        subscription (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        MatchPage | Problem
    """

    return sync_detailed(
        client=client,
        cursor=cursor,
        page_size=page_size,
        seen=seen,
        subscription=subscription,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    page_size: int | Unset = UNSET,
    seen: bool | Unset = UNSET,
    subscription: int | Unset = UNSET,
) -> Response[MatchPage | Problem]:
    """Your matches, newest first, each with the reason

     Items that you have hidden in your feed are not among them.

    Args:
        cursor (str | Unset):
        page_size (int | Unset):
        seen (bool | Unset):
        subscription (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[MatchPage | Problem]
    """

    kwargs = _get_kwargs(
        cursor=cursor,
        page_size=page_size,
        seen=seen,
        subscription=subscription,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    page_size: int | Unset = UNSET,
    seen: bool | Unset = UNSET,
    subscription: int | Unset = UNSET,
) -> MatchPage | Problem | None:
    """Your matches, newest first, each with the reason

     Items that you have hidden in your feed are not among them.

    Args:
        cursor (str | Unset):
        page_size (int | Unset):
        seen (bool | Unset):
        subscription (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        MatchPage | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            cursor=cursor,
            page_size=page_size,
            seen=seen,
            subscription=subscription,
        )
    ).parsed
