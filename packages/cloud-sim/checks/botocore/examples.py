"""Makes a valid value of every shape of botocore's models, or none where no text is known that fits a pattern."""

import datetime
import re

TEXTS = [
    "abc", "a", "1", "12", "example-name", "123456789012", "arn:aws:iam::123456789012:role/example",
    "arn:aws:lambda:eu-west-1:123456789012:function:example", "arn:aws:lambda:eu-west-1:123456789012:function:example:1",
    "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-123456789012",
    "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-123456789012",
    "arn:aws:sqs:eu-west-1:123456789012:example", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:example",
    "arn:aws:events:eu-west-1:123456789012:event-bus/example",
    "arn:aws:cloudfront::123456789012:key-value-store/0a1b2c3d-0000-4000-8000-123456789012",
    "0a1b2c3d-0000-4000-8000-123456789012", "www.example.com", "i-0123456789abcdef0", "/mnt/example", "$LATEST",
    "nodejs22.x", "https://example.com/", "eu-west-1", "50%", "rate(1 hour)", "$default", "$.detail", "LATEST", "v1",
    "us-east-1a", "vpc-0123456789abcdef0", "subnet-0123456789abcdef0", "sg-0123456789abcdef0", "a" * 64,
]  # fmt: skip
DEEPEST = 6


def fits(pattern, text):
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return True


def text_of(shape):
    if shape.enum:
        return shape.enum[0]
    limits = shape.metadata
    low, high, pattern = limits.get("min", 0), limits.get("max", 10**9), limits.get("pattern")
    grown = (one.ljust(low, "a") for one in TEXTS)
    return next((one for one in grown if len(one) <= high and (pattern is None or fits(pattern, one))), None)


def fields_of(shape, depth):
    fields = {}
    for name, member in shape.members.items():
        value = example(member, depth)
        if value is not None:
            fields[name] = value
        elif name in shape.required_members:
            return None
    return fields


def example(shape, depth=0):
    if depth > DEEPEST:
        return None
    kind = shape.type_name
    if kind == "structure":
        return {} if getattr(shape, "is_document_type", False) else fields_of(shape, depth + 1)
    if kind == "list":
        item = example(shape.member, depth + 1)
        return None if item is None else [item] * max(1, shape.metadata.get("min", 1))
    if kind == "map":
        key, value = example(shape.key, depth + 1), example(shape.value, depth + 1)
        return None if key is None or value is None else {key: value}
    if kind == "string":
        return text_of(shape)
    if kind == "blob":
        return b"example"
    if kind == "boolean":
        return True
    if kind == "timestamp":
        return datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    low, high = shape.metadata.get("min", 1), shape.metadata.get("max", 1)
    return min(max(1, low), max(high, low))
