from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.schema_json_schema_retrieve_response_200 import (
    SchemaJsonSchemaRetrieveResponse200,
)
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    attribute: list[str] | Unset = UNSET,
    event_type: list[str] | Unset = UNSET,
    view: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_attribute: list[str] | Unset = UNSET
    if not isinstance(attribute, Unset):
        json_attribute = attribute

    params["attribute"] = json_attribute

    json_event_type: list[str] | Unset = UNSET
    if not isinstance(event_type, Unset):
        json_event_type = event_type

    params["event_type"] = json_event_type

    params["view"] = view

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/schema/json-schema",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | SchemaJsonSchemaRetrieveResponse200 | None:
    if response.status_code == 200:
        response_200 = SchemaJsonSchemaRetrieveResponse200.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

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
) -> Response[Problem | SchemaJsonSchemaRetrieveResponse200]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    attribute: list[str] | Unset = UNSET,
    event_type: list[str] | Unset = UNSET,
    view: str | Unset = UNSET,
) -> Response[Problem | SchemaJsonSchemaRetrieveResponse200]:
    """A view as JSON Schema, so that you can validate events on your side

    Args:
        attribute (list[str] | Unset):
        event_type (list[str] | Unset):
        view (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SchemaJsonSchemaRetrieveResponse200]
    """

    kwargs = _get_kwargs(
        attribute=attribute,
        event_type=event_type,
        view=view,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    attribute: list[str] | Unset = UNSET,
    event_type: list[str] | Unset = UNSET,
    view: str | Unset = UNSET,
) -> Problem | SchemaJsonSchemaRetrieveResponse200 | None:
    """A view as JSON Schema, so that you can validate events on your side

    Args:
        attribute (list[str] | Unset):
        event_type (list[str] | Unset):
        view (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SchemaJsonSchemaRetrieveResponse200
    """

    return sync_detailed(
        client=client,
        attribute=attribute,
        event_type=event_type,
        view=view,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    attribute: list[str] | Unset = UNSET,
    event_type: list[str] | Unset = UNSET,
    view: str | Unset = UNSET,
) -> Response[Problem | SchemaJsonSchemaRetrieveResponse200]:
    """A view as JSON Schema, so that you can validate events on your side

    Args:
        attribute (list[str] | Unset):
        event_type (list[str] | Unset):
        view (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SchemaJsonSchemaRetrieveResponse200]
    """

    kwargs = _get_kwargs(
        attribute=attribute,
        event_type=event_type,
        view=view,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    attribute: list[str] | Unset = UNSET,
    event_type: list[str] | Unset = UNSET,
    view: str | Unset = UNSET,
) -> Problem | SchemaJsonSchemaRetrieveResponse200 | None:
    """A view as JSON Schema, so that you can validate events on your side

    Args:
        attribute (list[str] | Unset):
        event_type (list[str] | Unset):
        view (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SchemaJsonSchemaRetrieveResponse200
    """

    return (
        await asyncio_detailed(
            client=client,
            attribute=attribute,
            event_type=event_type,
            view=view,
        )
    ).parsed
