"""Logs of the simulated cloud, written and read with boto3."""

import time

GROUP = "/shop/web"


def lines_found(cloud):
    client = cloud.as_role("logs")
    client.create_log_group(logGroupName=GROUP, tags={"team": "shop"})
    client.put_retention_policy(logGroupName=GROUP, retentionInDays=14)
    group = client.describe_log_groups(logGroupNamePrefix=GROUP)["logGroups"][0]
    assert group["retentionInDays"] == 14, group
    assert client.list_tags_for_resource(resourceArn=group["logGroupArn"])["tags"] == {"team": "shop"}
    client.create_log_stream(logGroupName=GROUP, logStreamName="a")
    now = int(time.time() * 1000)
    events = [{"timestamp": now - 3000 + 1000 * index, "message": text} for index, text in enumerate(["ok", "ERROR 1", "ERROR 2"])]
    client.put_log_events(logGroupName=GROUP, logStreamName="a", logEvents=events)
    pages = client.get_paginator("filter_log_events").paginate(
        logGroupName=GROUP, filterPattern="ERROR", PaginationConfig={"PageSize": 1}
    )
    found = [event for page in pages for event in page["events"]]
    assert [event["message"] for event in found] == ["ERROR 1", "ERROR 2"], found
    assert len({event["eventId"] for event in found}) == 2
    streams = client.describe_log_streams(logGroupName=GROUP)["logStreams"]
    assert [stream["logStreamName"] for stream in streams] == ["a"]
    read = client.get_log_events(logGroupName=GROUP, logStreamName="a", startFromHead=True)
    assert len(read["events"]) == 3
    end = client.get_log_events(logGroupName=GROUP, logStreamName="a", nextToken=read["nextForwardToken"])
    assert (end["events"], end["nextForwardToken"]) == ([], read["nextForwardToken"])
    client.delete_log_group(logGroupName=GROUP)
    try:
        client.filter_log_events(logGroupName=GROUP)
    except client.exceptions.ResourceNotFoundException:
        return
    raise AssertionError("a group that was deleted was read")


def checks():
    yield "lines that were put are found", lines_found
