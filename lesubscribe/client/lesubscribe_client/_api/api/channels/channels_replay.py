from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.asked_span import AskedSpan
from ...models.foreseen import Foreseen
from ...models.problem import Problem
from ...models.replay_document import ReplayDocument
from ...types import UNSET, Response, Unset


def _get_kwargs(
    number: int,
    *,
    body: AskedSpan,
    dry_run: bool | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    params: dict[str, Any] = {}

    params["dry_run"] = dry_run

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/channels/{number}/replay".format(
            number=quote(str(number), safe=""),
        ),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Foreseen | Problem | ReplayDocument | None:
    if response.status_code == 200:
        response_200 = Foreseen.from_dict(response.json())

        return response_200

    if response.status_code == 202:
        response_202 = ReplayDocument.from_dict(response.json())

        return response_202

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

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

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
) -> Response[Foreseen | Problem | ReplayDocument]:
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
    body: AskedSpan,
    dry_run: bool | Unset = UNSET,
) -> Response[Foreseen | Problem | ReplayDocument]:
    """Send again what a webhook was sent in a span of time

     Matches, digests and notices that were planned in it, under the ids they had, the oldest first and
    some at a time, so that new ones do not wait. What is withdrawn or over is left out. To ask for the
    same again while it is under way changes nothing; for another span it is 409.

    Args:
        number (int):
        dry_run (bool | Unset):
        body (AskedSpan): A body with these fields and no others: a misspelt one is told, not
            passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Foreseen | Problem | ReplayDocument]
    """

    kwargs = _get_kwargs(
        number=number,
        body=body,
        dry_run=dry_run,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    number: int,
    *,
    client: AuthenticatedClient,
    body: AskedSpan,
    dry_run: bool | Unset = UNSET,
) -> Foreseen | Problem | ReplayDocument | None:
    """Send again what a webhook was sent in a span of time

     Matches, digests and notices that were planned in it, under the ids they had, the oldest first and
    some at a time, so that new ones do not wait. What is withdrawn or over is left out. To ask for the
    same again while it is under way changes nothing; for another span it is 409.

    Args:
        number (int):
        dry_run (bool | Unset):
        body (AskedSpan): A body with these fields and no others: a misspelt one is told, not
            passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Foreseen | Problem | ReplayDocument
    """

    return sync_detailed(
        number=number,
        client=client,
        body=body,
        dry_run=dry_run,
    ).parsed


async def asyncio_detailed(
    number: int,
    *,
    client: AuthenticatedClient,
    body: AskedSpan,
    dry_run: bool | Unset = UNSET,
) -> Response[Foreseen | Problem | ReplayDocument]:
    """Send again what a webhook was sent in a span of time

     Matches, digests and notices that were planned in it, under the ids they had, the oldest first and
    some at a time, so that new ones do not wait. What is withdrawn or over is left out. To ask for the
    same again while it is under way changes nothing; for another span it is 409.

    Args:
        number (int):
        dry_run (bool | Unset):
        body (AskedSpan): A body with these fields and no others: a misspelt one is told, not
            passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Foreseen | Problem | ReplayDocument]
    """

    kwargs = _get_kwargs(
        number=number,
        body=body,
        dry_run=dry_run,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    number: int,
    *,
    client: AuthenticatedClient,
    body: AskedSpan,
    dry_run: bool | Unset = UNSET,
) -> Foreseen | Problem | ReplayDocument | None:
    """Send again what a webhook was sent in a span of time

     Matches, digests and notices that were planned in it, under the ids they had, the oldest first and
    some at a time, so that new ones do not wait. What is withdrawn or over is left out. To ask for the
    same again while it is under way changes nothing; for another span it is 409.

    Args:
        number (int):
        dry_run (bool | Unset):
        body (AskedSpan): A body with these fields and no others: a misspelt one is told, not
            passed over.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Foreseen | Problem | ReplayDocument
    """

    return (
        await asyncio_detailed(
            number=number,
            client=client,
            body=body,
            dry_run=dry_run,
        )
    ).parsed
