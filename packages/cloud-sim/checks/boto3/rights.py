"""What roles may do, on what, in which regions and for how long, asked with boto3."""

from rules import WEB, refused
from tasks import SIZE

REGION = "eu-west-1"
ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/narrow"
PASSED = f"arn:aws:iam::{ACCOUNT}:role/web"


def allow(action, resource="*", **condition):
    statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    return {**statement, "Condition": {"StringEquals": condition["equals"]}} if condition else statement


def acting(cloud, *policy, role=ROLE, region=REGION, by=None, **more):
    """Makes clients of services act with a role that may do this; by None the operator assumes it."""
    cloud.control("PUT", "roles", {"roleArn": role, "policy": list(policy), **more})
    sts = by or cloud.client("sts", aws_access_key_id="AKIACHECK", aws_secret_access_key="secret", region_name=region)
    given = sts.assume_role(RoleArn=role, RoleSessionName="check")["Credentials"]
    keys = {
        "aws_access_key_id": given["AccessKeyId"],
        "aws_secret_access_key": given["SecretAccessKey"],
        "aws_session_token": given["SessionToken"],
    }
    return lambda service: cloud.client(service, **keys, region_name=region)


def roles_passed(cloud):
    asked = {"family": "passed", "containerDefinitions": [WEB], "taskRoleArn": PASSED, **SIZE}
    register = allow("ecs:RegisterTaskDefinition")
    to_functions = allow("iam:PassRole", equals={"iam:PassedToService": "lambda.amazonaws.com"})
    without = acting(cloud, register, to_functions)("ecs")
    refused(without.register_task_definition, "AccessDeniedException", f"iam:PassRole on resource: {PASSED}", **asked)
    to_tasks = allow("iam:PassRole", PASSED, equals={"iam:PassedToService": "ecs-tasks.amazonaws.com"})
    ecs = acting(cloud, register, to_tasks)("ecs")
    assert ecs.register_task_definition(**asked)["taskDefinition"]["taskRoleArn"] == PASSED
    refused(ecs.describe_clusters, "AccessDeniedException", "ecs:DescribeClusters on resource: arn:", clusters=["main"])


def rights_by_resource(cloud):
    client = acting(cloud, allow("sqs:*", "arn:aws:sqs:*:*:sluice-*"), allow("s3:GetObject", "arn:aws:s3:::a-site/r/*"))
    sqs, s3 = client("sqs"), client("s3")
    assert sqs.create_queue(QueueName="sluice-events")["QueueUrl"].endswith("/sluice-events")
    denied = "because no identity-based policy allows"
    refused(sqs.create_queue, "AccessDeniedException", denied, QueueName="events")
    refused(s3.get_object, "NoSuchBucket", "does not exist", Bucket="a-site", Key="r/1")
    refused(s3.get_object, "AccessDenied", denied, Bucket="a-site", Key="private")
    deny = {"Effect": "Deny", "Action": "sqs:*", "Resource": "*"}
    sqs = acting(cloud, allow("sqs:*"), deny)("sqs")
    refused(sqs.create_queue, "AccessDeniedException", "with an explicit deny", QueueName="sluice-events")
    assert acting(cloud)("sts").get_caller_identity()["Account"] == ACCOUNT


def roles_of_services(cloud):
    cloud.control("PUT", "roles", {"roleArn": PASSED, "trustedService": "ecs-tasks.amazonaws.com"})
    refused(cloud.sts.assume_role, "AccessDenied", "sts:AssumeRole", RoleArn=PASSED, RoleSessionName="check")


def regions_enabled(cloud):
    try:
        acting(cloud, allow("*"), region="eu-south-1")
    except Exception as refusal:
        assert "RegionDisabledException" in str(refusal), refusal
    else:
        raise AssertionError("a region that is not enabled took a role")
    enabled = acting(cloud, allow("*"), region="eu-south-1", enabledRegions=["eu-south-1"])
    assert enabled("sts").get_caller_identity()["Account"] == ACCOUNT


def sessions_chained(cloud):
    chained = acting(cloud, allow("sts:AssumeRole"), maxSessionSeconds=43200)("sts")
    asked = {"RoleArn": ROLE, "RoleSessionName": "again"}
    refused(chained.assume_role, "ValidationError", "1 hour session limit", DurationSeconds=3601, **asked)
    chained.assume_role(DurationSeconds=3600, **asked)
    other = f"arn:aws:iam::{ACCOUNT}:role/other"
    refused(chained.assume_role, "AccessDenied", "sts:AssumeRole", RoleArn=other, RoleSessionName="again")


def tags_of_roles(cloud):
    iam = acting(cloud, allow("iam:ListRoleTags", ROLE), tags={"team": "shop"})("iam")
    assert iam.list_role_tags(RoleName="narrow")["Tags"] == [{"Key": "team", "Value": "shop"}]
    refused(iam.list_role_tags, "AccessDenied", "iam:ListRoleTags", RoleName="check")


def checks():
    yield "roles are passed by who may, to whom they may", roles_passed
    yield "rights hold for resources, denials above all", rights_by_resource
    yield "a role of a service is nobody else's", roles_of_services
    yield "a region that is not enabled takes no role", regions_enabled
    yield "a session of a session lasts an hour at most", sessions_chained
    yield "a role has its tags", tags_of_roles
