"""Clients of simulated services, and the answers that they get."""

import json
from pathlib import Path

import boto3
import botocore.exceptions
import botocore.parsers
from botocore import xform_name
from botocore.config import Config

SOURCES = Path(__file__).resolve().parents[2] / "src"
KEYS = {"aws_access_key_id": "AKIACHECK", "aws_secret_access_key": "secret"}
# What botocore raises where it does not send a request.
NOT_SENT = (
    botocore.exceptions.ParamValidationError,
    botocore.exceptions.EndpointProviderError,
    botocore.exceptions.UnknownEndpointError,
    botocore.exceptions.UnsupportedS3ArnError,
    TypeError,
    ValueError,
    AttributeError,
    KeyError,
    OverflowError,
)


def simulated():
    """By botocore's name of each service the operations that are simulated."""
    for file in sorted(SOURCES.glob("*/*.model.json")):
        model = json.loads(file.read_text())
        yield model["source"].split(", ")[1].rsplit(" ", 1)[0], set(model["operations"])


def client_of(url, service):
    config = Config(
        parameter_validation=False,
        retries={"total_max_attempts": 1},
        s3={"addressing_style": "path"},
        inject_host_prefix=False,
    )
    return boto3.client(service, endpoint_url=url, region_name="us-east-1", config=config, **KEYS)


def ask(client, operation, given):
    """The status and the error code; none where botocore does not send the request."""
    try:
        getattr(client, xform_name(operation))(**given)
        return 200, ""
    except botocore.exceptions.ClientError as error:
        return error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"]
    except NOT_SENT:
        return None
    except (botocore.exceptions.HTTPClientError, botocore.parsers.ResponseParserError) as error:
        return 599, repr(error)
    except botocore.exceptions.BotoCoreError:
        return None
