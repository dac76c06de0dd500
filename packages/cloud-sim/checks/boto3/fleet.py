"""Groups of instances and commands on them, made and followed with boto3."""

import json

GROUP = "workers"
DOCUMENT = "workers-deploy"
CONTENT = {
    "schemaVersion": "2.2",
    "parameters": {"imageUri": {"type": "String"}, "deployId": {"type": "String"}},
    "mainSteps": [{"action": "aws:runShellScript", "name": "deploy", "inputs": {"runCommand": ["deploy {{imageUri}}"]}}],
}
OVER = {"Success", "Failed", "Cancelled", "TimedOut"}


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def create_group(cloud, size=3):
    """The clients, with a group whose instances take commands and its document."""
    scaling, ssm = cloud.as_role("autoscaling"), cloud.as_role("ssm")
    ssm.create_document(Name=DOCUMENT, DocumentType="Command", DocumentFormat="JSON", Content=json.dumps(CONTENT))
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=GROUP,
        LaunchTemplate={"LaunchTemplateName": GROUP, "Version": "$Latest"},
        MinSize=0,
        MaxSize=10,
        DesiredCapacity=size,
        VPCZoneIdentifier="subnet-1",
        Tags=[{"Key": "team", "Value": "shop", "PropagateAtLaunch": True}],
    )
    cloud.advance(60)
    return scaling, ssm


def describe(scaling):
    return scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"][0]


def send(ssm, image, **more):
    parameters = {"imageUri": [image], "deployId": ["dep_1"]}
    targets = [{"Key": "tag:aws:autoscaling:groupName", "Values": [GROUP]}]
    answer = ssm.send_command(DocumentName=DOCUMENT, Parameters=parameters, Targets=targets, Comment="check", **more)
    return answer["Command"]["CommandId"]


def follow(cloud, ssm, command_id):
    for _ in range(200):
        command = ssm.list_commands(CommandId=command_id)["Commands"][0]
        if command["Status"] in OVER:
            return command
        cloud.advance(5)
    raise AssertionError(f"not over: {command}")


def group_scaled(cloud):
    scaling, ssm = create_group(cloud)
    group = describe(scaling)
    equal({instance["LifecycleState"] for instance in group["Instances"]}, {"InService"})
    equal(group["Tags"][0]["Value"], "shop")
    scaling.set_desired_capacity(AutoScalingGroupName=GROUP, DesiredCapacity=4)
    equal([instance["LifecycleState"] for instance in describe(scaling)["Instances"]][-1], "Pending")
    cloud.advance(60)
    managed = ssm.get_paginator("describe_instance_information").paginate(PaginationConfig={"PageSize": 5})
    found = [one["InstanceId"] for page in managed for one in page["InstanceInformationList"]]
    equal(sorted(found), sorted(instance["InstanceId"] for instance in describe(scaling)["Instances"]))
    scaling.terminate_instance_in_auto_scaling_group(InstanceId=found[0], ShouldDecrementDesiredCapacity=True)
    scaling.update_auto_scaling_group(AutoScalingGroupName=GROUP, MinSize=1, MaxSize=2)
    cloud.advance(60)
    equal(len(describe(scaling)["Instances"]), 2)
    activities = scaling.describe_scaling_activities(AutoScalingGroupName=GROUP)["Activities"]
    equal({activity["StatusCode"] for activity in activities}, {"Successful"})
    scaling.delete_auto_scaling_group(AutoScalingGroupName=GROUP, ForceDelete=True)
    equal(scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"], [])


def group_tagged(cloud):
    scaling, _ = create_group(cloud, size=1)
    owner = {"ResourceId": GROUP, "ResourceType": "auto-scaling-group", "PropagateAtLaunch": False}
    scaling.create_or_update_tags(
        Tags=[{**owner, "Key": "team", "Value": "ops"}, {**owner, "Key": "stage", "Value": "production"}]
    )
    of_group = [{"Name": "auto-scaling-group", "Values": [GROUP]}]
    pages = scaling.get_paginator("describe_tags").paginate(Filters=of_group, PaginationConfig={"PageSize": 1})
    found = {tag["Key"]: tag for page in pages for tag in page["Tags"]}
    equal({key: tag["Value"] for key, tag in found.items()}, {"team": "ops", "stage": "production"})
    equal([found["team"]["ResourceId"], found["team"]["PropagateAtLaunch"]], [GROUP, False])
    equal({tag["Key"]: tag["Value"] for tag in describe(scaling)["Tags"]}, {"team": "ops", "stage": "production"})
    of_key = [*of_group, {"Name": "key", "Values": ["stage"]}]
    equal([tag["Value"] for tag in scaling.describe_tags(Filters=of_key)["Tags"]], ["production"])
    scaling.delete_tags(Tags=[{"ResourceId": GROUP, "ResourceType": "auto-scaling-group", "Key": "team"}])
    equal([tag["Key"] for tag in scaling.describe_tags(Filters=of_group)["Tags"]], ["stage"])
    try:
        scaling.create_or_update_tags(Tags=[{**owner, "ResourceId": "nothing", "Key": "team", "Value": "ops"}])
    except scaling.exceptions.ClientError as refusal:
        equal(refusal.response["Error"]["Code"], "ValidationError")
        return
    raise AssertionError("a group that there is not was tagged")


def command_followed(cloud):
    _, ssm = create_group(cloud)
    equal(ssm.describe_document(Name=DOCUMENT)["Document"]["Status"], "Active")
    command_id = send(ssm, "app:2", MaxConcurrency="2", MaxErrors="0", TimeoutSeconds=60)
    cloud.advance(2)
    listed = ssm.list_commands(Filters=[{"key": "DocumentName", "value": DOCUMENT}])["Commands"]
    equal([(command["CommandId"], command["Comment"]) for command in listed], [(command_id, "check")])
    command = follow(cloud, ssm, command_id)
    equal([command["Status"], command["TargetCount"], command["CompletedCount"]], ["Success", 3, 3])
    invocations = ssm.list_command_invocations(CommandId=command_id, Details=True)["CommandInvocations"]
    equal({one["CommandPlugins"][0]["ResponseCode"] for one in invocations}, {0})
    ssm.get_waiter("command_executed").wait(CommandId=command_id, InstanceId=invocations[0]["InstanceId"])


def steps_asked_for(cloud):
    _, ssm = create_group(cloud, size=1)
    steps = [{**CONTENT["mainSteps"][0], "name": name} for name in ("fetch", "deploy")]
    content = json.dumps({**CONTENT, "mainSteps": steps})
    ssm.create_document(Name="two-steps", DocumentType="Command", DocumentFormat="JSON", Content=content)
    targets = [{"Key": "tag:aws:autoscaling:groupName", "Values": [GROUP]}]
    parameters = {"imageUri": ["web:2-crash"], "deployId": ["dep_1"]}
    sent = ssm.send_command(DocumentName="two-steps", Parameters=parameters, Targets=targets)["Command"]
    follow(cloud, ssm, sent["CommandId"])
    (invocation,) = ssm.list_command_invocations(CommandId=sent["CommandId"], Details=True)["CommandInvocations"]
    plugins = [(plugin["Name"], plugin["ResponseCode"]) for plugin in invocation["CommandPlugins"]]
    equal(plugins, [("fetch", 0), ("deploy", 1)])
    asked = {"CommandId": sent["CommandId"], "InstanceId": invocation["InstanceId"]}
    equal(ssm.get_command_invocation(**asked, PluginName="deploy")["ResponseCode"], 1)
    try:
        ssm.get_command_invocation(**asked)
    except ssm.exceptions.InvalidPluginName:
        return
    raise AssertionError("a command of two steps was shown as one")


def command_failed(cloud):
    _, ssm = create_group(cloud)
    command_id = send(ssm, "app:2-crash", MaxConcurrency="1")
    command = follow(cloud, ssm, command_id)
    equal([command["Status"], command["ErrorCount"]], ["Failed", 1])
    first, *others = ssm.list_command_invocations(CommandId=command_id)["CommandInvocations"]
    equal({one["StatusDetails"] for one in others}, {"Terminated"})
    said = ssm.get_command_invocation(CommandId=command_id, InstanceId=first["InstanceId"])
    equal([said["Status"], said["ResponseCode"]], ["Failed", 1])


def command_cancelled(cloud):
    _, ssm = create_group(cloud)
    command_id = send(ssm, "app:2-hang", MaxConcurrency="1")
    cloud.advance(5)
    ssm.cancel_command(CommandId=command_id)
    equal(follow(cloud, ssm, command_id)["Status"], "Cancelled")
    try:
        ssm.cancel_command(CommandId="00000000-0000-0000-0000-000000000000")
    except ssm.exceptions.InvalidCommandId:
        return
    raise AssertionError("a command that there is not was cancelled")


def parameter_kept(cloud):
    ssm = cloud.as_role("ssm")
    name = "/sluice/workers/release"
    equal(ssm.put_parameter(Name=name, Value="1", Type="String")["Version"], 1)
    try:
        ssm.put_parameter(Name=name, Value="2", Type="String")
        raise AssertionError("a parameter was overwritten without being asked to")
    except ssm.exceptions.ParameterAlreadyExists:
        pass
    large = ssm.put_parameter(Name=name, Value="2" * 5000, Type="String", Tier="Intelligent-Tiering", Overwrite=True)
    equal([large["Version"], large["Tier"]], [2, "Advanced"])
    equal(len(ssm.get_parameter(Name=name)["Parameter"]["Value"]), 5000)
    ssm.delete_parameter(Name=name)
    try:
        ssm.get_parameter(Name=name)
    except ssm.exceptions.ParameterNotFound:
        return
    raise AssertionError("a parameter that was deleted was read")


def secret_kept(cloud):
    ssm = cloud.as_role("ssm")
    name = "/sluice/workers/credentials/dep_1"
    ssm.put_parameter(Name=name, Value="secret", Type="SecureString")
    equal(ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"], "secret")
    sealed = ssm.get_parameter(Name=name)["Parameter"]
    equal([sealed["Type"], "secret" in sealed["Value"]], ["SecureString", False])


def checks():
    yield "a group has as many instances as are wished for", group_scaled
    yield "the tags of a group are changed, listed and taken away", group_tagged
    yield "a command is followed to its end", command_followed
    yield "each step of a command is asked for by its name", steps_asked_for
    yield "a command stops at too many errors", command_failed
    yield "a command is cancelled", command_cancelled
    yield "a parameter is kept, and overwritten when asked for", parameter_kept
    yield "a secret is shown to those who ask for it decrypted", secret_kept
