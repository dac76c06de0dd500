"""One-off tasks of the simulated cloud, asked with boto3."""

from botocore.exceptions import ClientError

NO_WAIT = {"MaxAttempts": 1}
SIZE = {"requiresCompatibilities": ["FARGATE"], "networkMode": "awsvpc", "cpu": "256", "memory": "512"}
ON_FARGATE = {
    "launchType": "FARGATE",
    "networkConfiguration": {"awsvpcConfiguration": {"subnets": ["subnet-0a1b2c3d4e5f60711"]}},
}


def run(cloud, command, **more):
    overrides = {"containerOverrides": [{"name": "web", "command": command}]}
    asked = {"cluster": "main", "taskDefinition": "web:1", "overrides": overrides, **ON_FARGATE, **more}
    return cloud.ecs.run_task(**asked)["tasks"][0]


def ended(cloud, task):
    cloud.advance(120)
    cloud.ecs.get_waiter("tasks_stopped").wait(cluster="main", tasks=[task["taskArn"]], WaiterConfig=NO_WAIT)
    return cloud.ecs.describe_tasks(cluster="main", tasks=[task["taskArn"]])["tasks"][0]


def commands_end(cloud):
    for command, code in ((["migrate"], 0), (["sh", "-c", "exit 3"], 3)):
        task = ended(cloud, run(cloud, command, startedBy="check"))
        assert task["stopCode"] == "EssentialContainerExited", task
        assert task["containers"][0]["exitCode"] == code, task


def asked_again(cloud):
    first, again = (run(cloud, ["migrate"], clientToken="once") for _ in range(2))
    assert first["taskArn"] == again["taskArn"]
    try:
        run(cloud, ["seed"], clientToken="once")
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ConflictException", error
    else:
        raise AssertionError("the token was taken for another request")


def stopped(cloud):
    task = run(cloud, ["sleep 86400"], startedBy="stopped")
    cloud.advance(60)
    cloud.ecs.get_waiter("tasks_running").wait(cluster="main", tasks=[task["taskArn"]], WaiterConfig=NO_WAIT)
    listed = cloud.ecs.list_tasks(cluster="main", startedBy="stopped")["taskArns"]
    assert listed == [task["taskArn"]], listed
    cloud.ecs.stop_task(cluster="main", task=task["taskArn"], reason="enough")
    task = ended(cloud, task)
    assert (task["stopCode"], task["stoppedReason"]) == ("UserInitiated", "enough"), task


def checks():
    yield "one-off tasks end with the exit code of their command", commands_end
    yield "a one-off task that is asked for again is the same", asked_again
    yield "a one-off task is stopped", stopped
