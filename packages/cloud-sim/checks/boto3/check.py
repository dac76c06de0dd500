"""Drives UpdateService and the service deployment calls of the simulated cloud with boto3.

check.py <url>   runs every check against the simulated cloud at <url>
"""

import json
import sys
import traceback
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import certificates
import events
import fleet
import functions
import logs
import monitoring
import networks
import rights
import rules
import static_sites
import tasks

REGION = "eu-west-1"
ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/check"
KEYS = {"aws_access_key_id": "AKIACHECK", "aws_secret_access_key": "secret"}
FINAL = {"SUCCESSFUL", "STOPPED", "ROLLBACK_SUCCESSFUL", "ROLLBACK_FAILED"}

PAUSE_STAGES = [
    "RECONCILE_SERVICE",
    "PRE_SCALE_UP",
    "POST_SCALE_UP",
    "POST_TEST_TRAFFIC_SHIFT",
    "PRE_PRODUCTION_TRAFFIC_SHIFT",
    "POST_PRODUCTION_TRAFFIC_SHIFT",
]
# How a pause is resolved: the status its hook ends in, and the one of its deployment.
RESOLUTIONS = {
    "CONTINUE": ("SUCCEEDED", "SUCCESSFUL"),
    "ROLLBACK": ("FAILED", "ROLLBACK_SUCCESSFUL"),
    "timeout CONTINUE": ("TIMED_OUT", "SUCCESSFUL"),
    "timeout ROLLBACK": ("TIMED_OUT", "ROLLBACK_SUCCESSFUL"),
}


class Cloud:
    """One empty world: its clients, and a service `web` at rest behind a load balancer."""

    def __init__(self, url):
        self.url = url
        self.control("POST", "reset", {})
        self.control("PUT", "roles", {"roleArn": ROLE, "externalId": "check"})
        sts = self.client("sts", **KEYS)
        answer = sts.assume_role(RoleArn=ROLE, RoleSessionName="check", ExternalId="check")
        given = answer["Credentials"]
        keys = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
        self.as_role = lambda service, **more: self.client(service, **keys, **more)
        self.ecs = self.client("ecs", **keys)
        self.elb = self.client("elbv2", **keys)
        self.sts = self.client("sts", **keys)
        self.create_service()

    def client(self, service, **more):
        settings = {"region_name": REGION, "config": Config(retries={"max_attempts": 1}), **more}
        return boto3.client(service, endpoint_url=self.url, **settings)

    def control(self, method, path, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_sim/{path}", data=data, method=method)
        urllib.request.urlopen(request).read()

    def advance(self, seconds):
        self.control("POST", "clock/advance", {"seconds": seconds})

    def create_service(self):
        self.ecs.create_cluster(clusterName="main")
        balancer = self.elb.create_load_balancer(Name="web", Subnets=["subnet-1"])["LoadBalancers"][0]
        self.elb.get_waiter("load_balancer_available").wait(LoadBalancerArns=[balancer["LoadBalancerArn"]])
        self.blue, self.green = (
            self.elb.create_target_group(Name=name, Protocol="HTTP", Port=80, VpcId="vpc-1", TargetType="ip")[
                "TargetGroups"
            ][0]["TargetGroupArn"]
            for name in ("blue", "green")
        )
        self.rule, test_rule = (self.create_rule(balancer["LoadBalancerArn"], port) for port in (80, 8080))
        load_balancer = {
            "targetGroupArn": self.blue,
            "containerName": "web",
            "containerPort": 80,
            "advancedConfiguration": {
                "alternateTargetGroupArn": self.green,
                "productionListenerRule": self.rule,
                "testListenerRule": test_rule,
                "roleArn": f"arn:aws:iam::{ACCOUNT}:role/load-balancer",
            },
        }
        self.ecs.create_service(
            cluster="main",
            serviceName="web",
            taskDefinition=self.register("web:1"),
            desiredCount=2,
            loadBalancers=[load_balancer],
            **tasks.ON_FARGATE,
        )
        self.advance(120)
        waiter = self.ecs.get_waiter("services_stable")
        waiter.wait(cluster="main", services=["web"], WaiterConfig={"MaxAttempts": 1})

    def create_rule(self, balancer, port):
        groups = [{"TargetGroupArn": self.blue, "Weight": 100}, {"TargetGroupArn": self.green, "Weight": 0}]
        nothing = [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "404"}}]
        listener = self.elb.create_listener(
            LoadBalancerArn=balancer, Protocol="HTTP", Port=port, DefaultActions=nothing
        )["Listeners"][0]
        return self.elb.create_rule(
            ListenerArn=listener["ListenerArn"],
            Priority=10,
            Conditions=[{"Field": "path-pattern", "PathPatternConfig": {"Values": ["/*"]}}],
            Actions=[{"Type": "forward", "ForwardConfig": {"TargetGroups": groups}}],
        )["Rules"][0]["RuleArn"]

    def register(self, image):
        containers = [{"name": "web", "image": image, "portMappings": [{"containerPort": 80}]}]
        answer = self.ecs.register_task_definition(family="web", containerDefinitions=containers, **tasks.SIZE)
        return answer["taskDefinition"]["taskDefinitionArn"]

    def deploy(self, image, configuration):
        """Starts a deployment and follows the way from the answer to the service deployment's ARN."""
        service = self.ecs.update_service(
            cluster="main",
            service="web",
            taskDefinition=self.register(image),
            deploymentConfiguration=configuration,
        )["service"]
        number = next(d["id"] for d in service["deployments"] if d["status"] == "PRIMARY").split("/")[1]
        for _ in range(30):
            listed = self.ecs.list_service_deployments(cluster="main", service="web")["serviceDeployments"]
            for brief in listed:
                if brief["targetServiceRevisionArn"].endswith(f"/{number}"):
                    return brief["serviceDeploymentArn"]
            self.advance(1)
        raise AssertionError("the service deployment was never listed")

    def describe(self, arn):
        answer = self.ecs.describe_service_deployments(serviceDeploymentArns=[arn])
        assert answer["failures"] == [], answer["failures"]
        return answer["serviceDeployments"][0]

    def until(self, arn, is_reached, limit_seconds=7200):
        for _ in range(0, limit_seconds, 5):
            deployment = self.describe(arn)
            if is_reached(deployment):
                return deployment
            self.advance(5)
        raise AssertionError(f"not within {limit_seconds} cloud seconds: {deployment}")

    def wait_for_pause(self, arn):
        return self.until(arn, awaiting)

    def wait_for_end(self, arn):
        return self.until(arn, lambda deployment: deployment["status"] in FINAL)

    def answer(self, arn, action="CONTINUE"):
        hook = awaiting(self.describe(arn))[0]["hookId"]
        answer = self.ecs.continue_service_deployment(serviceDeploymentArn=arn, hookId=hook, action=action)
        assert answer["serviceDeploymentArn"] == arn
        return hook

    def weight_of_green(self):
        rule = self.elb.describe_rules(RuleArns=[self.rule])["Rules"][0]
        groups = rule["Actions"][0]["ForwardConfig"]["TargetGroups"]
        assert sum(group["Weight"] for group in groups) == 100, groups
        return next(group["Weight"] for group in groups if group["TargetGroupArn"] == self.green)


def awaiting(deployment):
    return [hook for hook in deployment["lifecycleHookDetails"] if hook["status"] == "AWAITING_ACTION"]


def pause(stage, action="ROLLBACK", minutes=10):
    timeout = {"timeoutInMinutes": minutes, "action": action}
    return {"targetType": "PAUSE", "lifecycleStages": [stage], "timeoutConfiguration": timeout}


def blue_green(*hooks):
    return {"strategy": "BLUE_GREEN", "bakeTimeInMinutes": 0, "lifecycleHooks": list(hooks)}


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def pause_resolved(cloud, stage, resolution):
    if stage == "RECONCILE_SERVICE":  # only where a deployment is under way already
        cloud.wait_for_pause(cloud.deploy("web:0", blue_green(pause("POST_SCALE_UP"))))
    action = resolution.split()[-1]
    arn = cloud.deploy("web:2", blue_green(pause(stage, action)))
    paused = cloud.wait_for_pause(arn)
    equal(paused["lifecycleStage"], stage)
    equal(awaiting(paused)[0]["timeoutAction"], action)
    if resolution.startswith("timeout"):
        cloud.advance(600)
    else:
        cloud.answer(arn, action)
    hook_status, status = RESOLUTIONS[resolution]
    ended = cloud.wait_for_end(arn)
    equal(ended["status"], status)
    equal([hook["status"] for hook in ended["lifecycleHookDetails"]], [hook_status])
    equal(cloud.weight_of_green(), 100 if status == "SUCCESSFUL" else 0)


def steps_paused(cloud, configuration, weights):
    arn = cloud.deploy("web:2", {**configuration, "lifecycleHooks": [pause("PRE_PRODUCTION_TRAFFIC_SHIFT")]})
    seen, hooks = [], set()
    for _ in weights:
        paused = cloud.wait_for_pause(arn)
        equal(paused["targetServiceRevision"]["requestedProductionTrafficWeight"], cloud.weight_of_green())
        seen.append(cloud.weight_of_green())
        hooks.add(cloud.answer(arn))
    equal(cloud.wait_for_end(arn)["status"], "SUCCESSFUL")
    equal(seen, weights)
    equal(len(hooks), len(weights))


def stopped(cloud):
    arn = cloud.deploy("web:2", blue_green(pause("POST_SCALE_UP")))
    cloud.wait_for_pause(arn)
    cloud.ecs.stop_service_deployment(serviceDeploymentArn=arn, stopType="ROLLBACK")
    ended = cloud.wait_for_end(arn)
    equal(ended["status"], "ROLLBACK_SUCCESSFUL")
    revisions = [ended["rollback"]["serviceRevisionArn"]]
    described = cloud.ecs.describe_service_revisions(serviceRevisionArns=revisions)["serviceRevisions"]
    equal(described[0]["resolvedConfiguration"]["loadBalancers"][0]["targetGroupArn"], cloud.blue)


def superseded(cloud):
    first = cloud.deploy("web:2", blue_green(pause("POST_SCALE_UP")))
    cloud.wait_for_pause(first)
    second = cloud.deploy("web:3", blue_green())
    equal(cloud.wait_for_end(first)["status"], "STOPPED")
    equal(cloud.wait_for_end(second)["status"], "SUCCESSFUL")


def broken(cloud):
    breaker = {"enable": True, "rollback": True}
    arn = cloud.deploy("web:2-crash", {"deploymentCircuitBreaker": breaker})
    ended = cloud.wait_for_end(arn)
    equal([ended["status"], ended["deploymentCircuitBreaker"]["status"]], ["ROLLBACK_SUCCESSFUL", "TRIGGERED"])
    tasks = cloud.ecs.list_tasks(cluster="main", serviceName="web", desiredStatus="STOPPED")["taskArns"]
    reasons = {task["stopCode"] for task in cloud.ecs.describe_tasks(cluster="main", tasks=tasks)["tasks"]}
    assert "EssentialContainerExited" in reasons, reasons


def function_called(cloud):
    arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:thumbnails"
    functions.create(cloud)
    for name, status in ((f"{arn}-none", "ROLLBACK_SUCCESSFUL"), (arn, "SUCCESSFUL"), (f"{arn}:live", "ROLLBACK_SUCCESSFUL")):
        hook = {"hookTargetArn": name, "roleArn": functions.ROLE, "lifecycleStages": ["POST_SCALE_UP"]}
        deployment = cloud.deploy(f"web:{status.lower()}{len(name)}", blue_green({"targetType": "AWS_LAMBDA", **hook}))
        equal(cloud.wait_for_end(deployment)["status"], status)


def answered_twice(cloud):
    arn = cloud.deploy("web:2", blue_green(pause("POST_SCALE_UP")))
    cloud.wait_for_pause(arn)
    hook = cloud.answer(arn)
    try:
        cloud.ecs.continue_service_deployment(serviceDeploymentArn=arn, hookId=hook)
    except cloud.ecs.exceptions.InvalidParameterException:
        return
    raise AssertionError("the same hook was answered twice")


def identity(cloud):
    equal(cloud.sts.get_caller_identity()["Account"], ACCOUNT)
    try:
        cloud.sts.assume_role(RoleArn=f"{ROLE}-none", RoleSessionName="check")
    except ClientError as refusal:
        equal(refusal.response["Error"]["Code"], "AccessDenied")
        equal(refusal.response["ResponseMetadata"]["HTTPStatusCode"], 403)
        return
    raise AssertionError("a role that does not exist was assumed")


def pages(cloud):
    for image in ("web:2", "web:3", "web:4"):
        cloud.register(image)
    paginator = cloud.ecs.get_paginator("list_task_definitions")
    found = paginator.paginate(familyPrefix="web", PaginationConfig={"PageSize": 1}).build_full_result()
    equal([arn.split("/")[1] for arn in found["taskDefinitionArns"]], ["web:1", "web:2", "web:3", "web:4"])
    groups = cloud.elb.get_paginator("describe_target_groups").paginate(PaginationConfig={"PageSize": 1})
    equal(sorted(group["TargetGroupName"] for page in groups for group in page["TargetGroups"]), ["blue", "green"])


def checks():
    for stage in PAUSE_STAGES:
        for resolution in RESOLUTIONS:
            yield f"pause at {stage}, {resolution}", lambda c, s=stage, r=resolution: pause_resolved(c, s, r)
    linear = {"strategy": "LINEAR", "linearConfiguration": {"stepPercent": 20, "stepBakeTimeInMinutes": 1}}
    canary = {"strategy": "CANARY", "canaryConfiguration": {"canaryPercent": 10, "canaryBakeTimeInMinutes": 1}}
    yield "linear pauses before each of its steps", lambda c: steps_paused(c, linear, [0, 20, 40, 60, 80])
    yield "canary pauses before each of its steps", lambda c: steps_paused(c, canary, [0, 10])
    yield "a stopped deployment rolls back", stopped
    yield "a newer deployment supersedes", superseded
    yield "the circuit breaker rolls back", broken
    yield "a hook is answered once", answered_twice
    yield "a hook calls a function that is there", function_called
    yield "an assumed role is who it says", identity
    yield "lists come in pages", pages


def main(url):
    passed = failed = 0
    rooms = (certificates, events, fleet, functions, logs, monitoring, networks, rights, rules, static_sites, tasks)
    for name, check in (*checks(), *(check for room in rooms for check in room.checks())):
        try:
            check(Cloud(url))
            passed += 1
            print(f"ok      {name}")
        except Exception:
            failed += 1
            print(f"FAILED  {name}")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main(sys.argv[1])
