"""Functions, their versions and aliases of the simulated cloud, asked with boto3."""

import io
import zipfile

NAME = "thumbnails"
ROLE = "arn:aws:iam::111122223333:role/thumbnails"


def archive(text):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("index.js", text)
    return content.getvalue()


def wait(cloud, client, waiter, **names):
    """Lets cloud time pass between what was begun and the look whether it is through."""
    cloud.advance(10)
    client.get_waiter(waiter).wait(FunctionName=NAME, WaiterConfig={"Delay": 1, "MaxAttempts": 2}, **names)


def create(cloud, **more):
    client = cloud.as_role("lambda")
    given = {"Runtime": "nodejs22.x", "Handler": "index.handler", "Code": {"ZipFile": archive("1")}, **more}
    client.create_function(FunctionName=NAME, Role=ROLE, **given)
    wait(cloud, client, "function_active_v2")
    return client


def publish(cloud, client, text):
    given = client.update_function_code(FunctionName=NAME, ZipFile=archive(text))
    wait(cloud, client, "function_updated_v2")
    version = client.publish_version(FunctionName=NAME, CodeSha256=given["CodeSha256"], Description=text)["Version"]
    wait(cloud, client, "published_version_active", Qualifier=version)
    return version


def refused(code, call, **given):
    try:
        call(**given)
    except call.__self__.exceptions.ClientError as refusal:
        assert refusal.response["Error"]["Code"] == code, refusal.response["Error"]
        return
    raise AssertionError(f"{code} was expected")


def released(cloud):
    client = create(cloud)
    assert [publish(cloud, client, text) for text in ("one", "two", "two")] == ["1", "2", "2"]
    pages = client.get_paginator("list_versions_by_function").paginate(
        FunctionName=NAME, PaginationConfig={"PageSize": 1}
    )
    assert [one["Version"] for page in pages for one in page["Versions"]] == ["$LATEST", "1", "2"]
    alias = {"FunctionName": NAME, "Name": "live"}
    first = client.create_alias(**alias, FunctionVersion="1")
    weights = {"AdditionalVersionWeights": {"2": 0.1}}
    shared = client.update_alias(**alias, RoutingConfig=weights, RevisionId=first["RevisionId"])
    assert client.get_alias(**alias)["RoutingConfig"] == weights
    refused("PreconditionFailedException", client.update_alias, **alias, RevisionId=first["RevisionId"])
    none = {"AdditionalVersionWeights": {}}
    moved = client.update_alias(
        **alias, FunctionVersion="2", RoutingConfig=none, RevisionId=shared["RevisionId"]
    )
    assert moved["FunctionVersion"] == "2" and "RoutingConfig" not in moved, moved
    assert client.get_function(FunctionName=f"{NAME}:live")["Configuration"]["Description"] == "two"
    assert [one["Name"] for one in client.list_aliases(FunctionName=NAME)["Aliases"]] == ["live"]
    refused("ResourceConflictException", client.delete_function, FunctionName=NAME, Qualifier="2")
    client.delete_alias(**alias)
    client.delete_function(FunctionName=NAME)
    refused("ResourceNotFoundException", client.get_function, FunctionName=NAME)


def one_change_at_a_time(cloud):
    client = create(cloud)
    before = client.get_function_configuration(FunctionName=NAME)
    dry = client.update_function_code(FunctionName=NAME, ZipFile=archive("2"), DryRun=True)
    unchanged = client.get_function_configuration(FunctionName=NAME)
    for field in ("CodeSha256", "RevisionId", "LastUpdateStatus"):
        assert unchanged[field] == before[field], unchanged
    client.update_function_configuration(FunctionName=NAME, Timeout=30)
    refused("ResourceConflictException", client.update_function_code, FunctionName=NAME, ZipFile=archive("2"))
    refused("ResourceConflictException", client.publish_version, FunctionName=NAME)
    wait(cloud, client, "function_updated_v2")
    after = client.get_function_configuration(FunctionName=NAME)
    assert (after["Timeout"], after["CodeSha256"]) == (30, before["CodeSha256"])
    assert after["RevisionId"] != before["RevisionId"]
    stale = {"FunctionName": NAME, "ZipFile": archive("2"), "RevisionId": before["RevisionId"]}
    refused("PreconditionFailedException", client.update_function_code, **stale)
    updated = client.update_function_code(**{**stale, "RevisionId": after["RevisionId"]})
    assert updated["CodeSha256"] == dry["CodeSha256"] != before["CodeSha256"], dry


def imaged(cloud):
    image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/thumbnails:1"
    client = cloud.as_role("lambda")
    client.create_function(FunctionName=NAME, Role=ROLE, PackageType="Image", Code={"ImageUri": image})
    wait(cloud, client, "function_active_v2")
    code = client.get_function(FunctionName=NAME)["Code"]
    assert code["ImageUri"] == image and "@sha256:" in code["ResolvedImageUri"], code
    broken = client.update_function_code(FunctionName=NAME, ImageUri=f"{image}-broken")
    assert broken["LastUpdateStatus"] == "InProgress"
    cloud.advance(10)
    ended = client.get_function_configuration(FunctionName=NAME)
    assert (ended["LastUpdateStatus"], ended["LastUpdateStatusReasonCode"]) == ("Failed", "InvalidImage"), ended


def tagged(cloud):
    client = create(cloud, Tags={"team": "media"})
    arn = client.get_function_configuration(FunctionName=NAME)["FunctionArn"]
    client.tag_resource(Resource=arn, Tags={"stage": "test"})
    assert client.list_tags(Resource=arn)["Tags"] == {"team": "media", "stage": "test"}
    client.untag_resource(Resource=arn, TagKeys=["team", "stage"])
    assert client.list_tags(Resource=arn)["Tags"] == {}
    client.put_function_concurrency(FunctionName=NAME, ReservedConcurrentExecutions=5)
    assert client.get_function(FunctionName=NAME)["Concurrency"] == {"ReservedConcurrentExecutions": 5}
    client.delete_function_concurrency(FunctionName=NAME)
    assert "Concurrency" not in client.get_function(FunctionName=NAME)


def checks():
    yield "a function is released by its alias", released
    yield "a function takes one change at a time", one_change_at_a_time
    yield "a function of an image, and an update of it that fails", imaged
    yield "a function has tags and reserved concurrency", tagged
