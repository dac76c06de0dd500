"""Picks out of botocore's descriptions of services what a request or an answer must be: types, members, limits, patterns,
and nothing that is told in words. Reads {service: [operation]} and writes a file for each service, a shape to a line.
The operations that are not simulated are listed by name, those of REST services with the requests that mean them."""

import json
import sys
from pathlib import Path

import botocore
from botocore.loaders import Loader

# Where a service's folder or botocore's name for it is another than the one that requests are signed for.
FOLDERS = {
    "cloudfront-keyvaluestore": "cloudfront",
    "elasticloadbalancing": "elb",
    "sqs": "queues",
}
NAMES = {"elasticloadbalancing": "elbv2", "monitoring": "cloudwatch"}

# What the documentation and events tell of, and the description of the service does not have.
ALSO = {
    "ServiceDeploymentLifecycleStage": ["PRE_PRODUCTION_TRAFFIC_SHIFT"],
    # "Canned ACL", S3 user guide.
    "BucketCannedACL": ["log-delivery-write"],
}

# Values that travel encoded, while their pattern is that of the decoded text.
ENCODED = {"CopySource"}

# What the description calls required and the service leaves away where nothing was given: Terraform's provider, which
# is run against it, takes a comment that comes back empty for a change of one that was not set.
NOT_REQUIRED = {"KeyValueStore": ["Comment"]}

# Served at another endpoint than the rest of the service, and signed for another name.
ELSEWHERE = {"ListDirectoryBuckets"}

OF_SHAPES = ("type", "required", "enum", "min", "max", "pattern", "flattened", "payload")
OF_MEMBERS = ("location", "locationName", "flattened")


def member(about):
    kept = {key: about[key] for key in OF_MEMBERS if key in about}
    return {"shape": about["shape"], **kept} if kept else about["shape"]


def shape(about):
    kept = {key: about[key] for key in OF_SHAPES if key in about and about[key] != [] and about[key] is not False}
    if about.get("document"):
        kept["type"] = "document"
    if "members" in about:
        # The attributes of XML elements are not read.
        attributes = {name for name, one in about["members"].items() if one.get("xmlAttribute")}
        kept["members"] = {name: member(one) for name, one in about["members"].items() if name not in attributes}
        if attributes and "required" in kept:
            kept["required"] = [name for name in kept["required"] if name not in attributes]
    for part in ("member", "key", "value"):
        if part in about:
            kept[part] = member(about[part])
    return kept


def parts(about):
    """The names of the shapes that a shape is made of."""
    inner = [*about.get("members", {}).values(), *(about[part] for part in ("member", "key", "value") if part in about)]
    return [one["shape"] for one in inner]


def address(about):
    return f"{about['http']['method']} {about['http']['requestUri']}"


def is_old_name(about, described):
    """Whether an operation is deprecated and its requests now mean another operation."""
    same = [one for one in described["operations"].values() if address(one) == address(about)]
    return about.get("deprecated", False) and len(same) > 1


def other(name, about, shapes):
    """An operation that is not simulated. Of a REST service with its address, the names that its query must have, and
    the headers, each with a colon: `UploadPartCopy PUT /{Bucket}/{Key+} partNumber uploadId x-amz-copy-source:`."""
    given = shapes[about["input"]["shape"]] if "input" in about else {}
    members = [given["members"][one] for one in given.get("required", [])]
    query = [one["locationName"] for one in members if one.get("location") == "querystring"]
    headers = [f"{one['locationName']}:" for one in members if one.get("location") == "header"]
    return " ".join([name, address(about), *sorted(query), *sorted(headers)])


def model(service, operations):
    name = NAMES.get(service, service)
    loader = Loader()
    described = loader.load_service_model(name, "service-2")
    about_all = described["metadata"]
    wire = {"version": about_all["apiVersion"]}
    if "targetPrefix" in about_all:
        wire["target"] = about_all["targetPrefix"]
    is_rest = about_all["protocol"].startswith("rest-")
    others = [
        other(one, about, described["shapes"]) if is_rest else one
        for one, about in sorted(described["operations"].items())
        if one not in operations and one not in ELSEWHERE and not is_old_name(about, described)
    ]
    kept, wanted, shapes = {}, [], {}
    for operation in sorted(operations):
        about = described["operations"].get(operation)
        if about is None:
            print(f"{service} has no operation {operation}", file=sys.stderr)
            continue
        kept[operation] = {side: about[side]["shape"] for side in ("input", "output") if side in about}
        root = about.get("input", {}).get("locationName")
        if root:
            kept[operation]["root"] = root
        kept[operation]["http"] = address(about)
        wanted += [about[side]["shape"] for side in ("input", "output") if side in about]
    while wanted:
        one = wanted.pop()
        if one not in shapes:
            shapes[one] = described["shapes"][one]
            wanted += parts(shapes[one])
    source = f"botocore {botocore.__version__}, {name} {about_all['apiVersion']}, Apache-2.0"
    picked = {name: shape(shapes[name]) for name in sorted(shapes)}
    for name in ALSO.keys() & picked.keys():
        picked[name]["enum"] += ALSO[name]
    for name in ENCODED & picked.keys():
        del picked[name]["pattern"]
    for name in NOT_REQUIRED.keys() & picked.keys():
        picked[name]["required"] = [one for one in picked[name]["required"] if one not in NOT_REQUIRED[name]]
    return source, wire, kept, others, picked


def lines(table):
    return ",\n".join(f"    {json.dumps(name)}: {json.dumps(about)}" for name, about in table.items())


def main():
    target = Path(sys.argv[1])
    for service, operations in json.load(sys.stdin).items():
        source, wire, kept, others, shapes = model(service, operations)
        head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in {"source": source, **wire}.items())
        tables = f'  "operations": {{\n{lines(kept)}\n  }},\n  "others": {json.dumps(others)},\n  "shapes": {{\n{lines(shapes)}\n  }}\n'
        text = f"{{\n{head}{tables}}}\n"
        (target / FOLDERS.get(service, service) / f"{service}.model.json").write_text(text)


main()
