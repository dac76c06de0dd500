"""Puts one fault into a valid input. A fault is certain where botocore's model says that AWS refuses it."""

import copy
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    kind: str
    path: tuple
    value: object
    is_certain: bool


MISSING = object()
NUMBERS = {"integer": 2**31, "long": 2**63}


def of_text(shape, path, value, is_label):
    if shape.enum:
        swapped = value.swapcase()
        if swapped != value and swapped not in shape.enum:
            yield Fault("case", path, swapped, True)
        yield Fault("unknown value", path, "no-such-value", True)
    yield Fault("empty text", path, "", not is_label and not shape.enum and shape.metadata.get("min", 0) > 0)
    if value.startswith("arn:"):
        parts = value.split(":")
        for index, name in ((1, "partition"), (2, "service"), (3, "region"), (4, "account")):
            changed = [*parts[:index], "x", *parts[index + 1 :]]
            yield Fault(f"ARN {name}", path, ":".join(changed), False)


def of_number(shape, path):
    low = shape.metadata.get("min")
    yield Fault("negative", path, -7, low is not None and low > -7)
    if shape.type_name in NUMBERS:
        yield Fault("overflow", path, NUMBERS[shape.type_name] + 1, True)


def is_list_of_tags(shape):
    """Whether a list has tags: no service takes a key twice. Those of Auto Scaling name their resource as well."""
    members = getattr(shape.member, "members", {})
    has_key = any(name in members for name in ("Key", "key", "TagKey"))
    return "tag" in shape.name.lower() and has_key and "ResourceId" not in members


def of_list(shape, path, value):
    yield Fault("empty list", path, [], shape.metadata.get("min", 0) > 0)
    yield Fault("duplicates", path, [*value, *value], is_list_of_tags(shape))
    high = shape.metadata.get("max")
    if high is not None and high <= 500:
        yield Fault("too many", path, [value[0]] * (high + 1), True)


def faults(shape, value, path=()):
    """Every fault of a value and of what is in it. Without its label, a path is that of another operation."""
    kind = shape.type_name
    location = shape.serialization.get("location")
    if kind == "string":
        yield from of_text(shape, path, value, location == "uri")
    elif shape.serialization.get("name") == "Content-Length":
        return  # The client would wait to send a body of that length.
    elif kind in ("integer", "long", "float", "double"):
        yield from of_number(shape, path)
    elif kind == "list":
        yield from of_list(shape, path, value)
        yield from faults(shape.member, value[0], (*path, 0))
    elif kind == "map":
        key = next(iter(value))
        yield from faults(shape.value, value[key], (*path, key))
    elif kind == "structure":
        for name, member in shape.members.items():
            if name not in value:
                continue
            if name in shape.required_members:
                in_path = member.serialization.get("location") == "uri"
                yield Fault("missing", (*path, name), MISSING, not in_path)
            yield from faults(member, value[name], (*path, name))


def apply(given, fault):
    changed = copy.deepcopy(given)
    place = changed
    for step in fault.path[:-1]:
        place = place[step]
    if fault.value is MISSING:
        del place[fault.path[-1]]
    else:
        place[fault.path[-1]] = fault.value
    return changed
