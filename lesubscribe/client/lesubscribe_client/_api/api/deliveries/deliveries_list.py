from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.deliveries_list_state import (
    DeliveriesListState,
)
from ...models.delivery_page import DeliveryPage
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    channel: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    page_size: str | Unset = UNSET,
    state: DeliveriesListState | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["channel"] = channel

    params["cursor"] = cursor

    params["page_size"] = page_size

    json_state: str | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = state

    params["state"] = json_state

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/deliveries",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DeliveryPage | Problem | None:
    if response.status_code == 200:
        response_200 = DeliveryPage.from_dict(response.json())

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
) -> Response[DeliveryPage | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    channel: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    page_size: str | Unset = UNSET,
    state: DeliveriesListState | Unset = UNSET,
) -> Response[DeliveryPage | Problem]:
    """Your deliveries, newest first

    Args:
        channel (int | Unset):
        cursor (str | Unset):
        page_size (str | Unset):
        state (DeliveriesListState | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeliveryPage | Problem]
    """

    kwargs = _get_kwargs(
        channel=channel,
        cursor=cursor,
        page_size=page_size,
        state=state,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    channel: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    page_size: str | Unset = UNSET,
    state: DeliveriesListState | Unset = UNSET,
) -> DeliveryPage | Problem | None:
    """Your deliveries, newest first

    Args:
        channel (int | Unset):
        cursor (str | Unset):
        page_size (str | Unset):
        state (DeliveriesListState | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeliveryPage | Problem
    """

    return sync_detailed(
        client=client,
        channel=channel,
        cursor=cursor,
        page_size=page_size,
        state=state,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    channel: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    page_size: str | Unset = UNSET,
    state: DeliveriesListState | Unset = UNSET,
) -> Response[DeliveryPage | Problem]:
    """Your deliveries, newest first

    Args:
        channel (int | Unset):
        cursor (str | Unset):
        page_size (str | Unset):
        state (DeliveriesListState | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeliveryPage | Problem]
    """

    kwargs = _get_kwargs(
        channel=channel,
        cursor=cursor,
        page_size=page_size,
        state=state,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    channel: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
    page_size: str | Unset = UNSET,
    state: DeliveriesListState | Unset = UNSET,
) -> DeliveryPage | Problem | None:
    """Your deliveries, newest first

    Args:
        channel (int | Unset):
        cursor (str | Unset):
        page_size (str | Unset):
        state (DeliveriesListState | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeliveryPage | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            channel=channel,
            cursor=cursor,
            page_size=page_size,
            state=state,
        )
    ).parsed
