"""Queues and rules of the simulated cloud, used with boto3."""

import json


def queue_used(cloud):
    client = cloud.as_role("sqs")
    url = client.create_queue(QueueName="work", Attributes={"VisibilityTimeout": "60"}, tags={"team": "shop"})["QueueUrl"]
    assert client.get_queue_url(QueueName="work")["QueueUrl"] == url
    assert client.list_queues(QueueNamePrefix="w")["QueueUrls"] == [url]
    assert client.list_queue_tags(QueueUrl=url)["Tags"] == {"team": "shop"}
    client.send_message(QueueUrl=url, MessageBody="one")
    client.send_message_batch(QueueUrl=url, Entries=[{"Id": "a", "MessageBody": "two"}])
    messages = client.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    assert [message["Body"] for message in messages] == ["one", "two"], messages
    assert "Messages" not in client.receive_message(QueueUrl=url, WaitTimeSeconds=1)
    client.change_message_visibility(QueueUrl=url, ReceiptHandle=messages[0]["ReceiptHandle"], VisibilityTimeout=0)
    back = client.receive_message(QueueUrl=url)["Messages"][0]
    client.delete_message(QueueUrl=url, ReceiptHandle=back["ReceiptHandle"])
    entries = [{"Id": "a", "ReceiptHandle": messages[1]["ReceiptHandle"]}]
    client.delete_message_batch(QueueUrl=url, Entries=entries)
    attributes = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert attributes["ApproximateNumberOfMessages"] == "0", attributes
    client.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "5"})
    client.purge_queue(QueueUrl=url)
    client.delete_queue(QueueUrl=url)
    try:
        client.send_message(QueueUrl=url, MessageBody="x")
    except client.exceptions.QueueDoesNotExist:
        return
    raise AssertionError("a queue that was deleted took a message")


def rule_brings_events(cloud):
    sqs, events = cloud.as_role("sqs"), cloud.as_role("events")
    url = sqs.create_queue(QueueName="events")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    pattern = {"source": ["aws.ecs", "shop"], "detail-type": ["ECS Deployment State Change"]}
    events.put_rule(Name="deployments", EventPattern=json.dumps(pattern))
    assert events.put_targets(Rule="deployments", Targets=[{"Id": "q", "Arn": arn}])["FailedEntryCount"] == 0
    assert events.list_targets_by_rule(Rule="deployments")["Targets"] == [{"Id": "q", "Arn": arn}]
    assert json.loads(events.describe_rule(Name="deployments")["EventPattern"]) == pattern
    assert [rule["Name"] for rule in events.list_rules()["Rules"]] == ["deployments"]
    cloud.wait_for_end(cloud.deploy("web:2", {"strategy": "ROLLING"}))
    bodies = [json.loads(m["Body"]) for m in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]]
    names = [body["detail"]["eventName"] for body in bodies]
    assert names == ["SERVICE_DEPLOYMENT_IN_PROGRESS", "SERVICE_DEPLOYMENT_COMPLETED"], names
    answer = events.put_events(Entries=[{"Source": "shop", "DetailType": "ECS Deployment State Change", "Detail": "{}"}])
    received = json.loads(sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"])
    assert received["id"] == answer["Entries"][0]["EventId"], received
    events.remove_targets(Rule="deployments", Ids=["q"])
    events.delete_rule(Name="deployments")


def checks():
    yield "messages go through a queue", queue_used
    yield "a rule brings events to a queue", rule_brings_events
