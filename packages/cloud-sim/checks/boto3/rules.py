"""What the services refuse, asked with boto3: each rule by the code of its error and some words of it."""

from botocore.exceptions import ClientError

from tasks import ON_FARGATE, SIZE

WEB = {"name": "web", "image": "web:1"}


def refused(call, code, words, **asked):
    """The call must be refused in the service, not by the client before it is sent."""
    try:
        call(**asked)
    except ClientError as error:
        told = error.response["Error"]
        assert told["Code"] == code, told
        assert words in told["Message"], told
    else:
        raise AssertionError(f"it was taken: {asked}")


def task_definitions(cloud):
    def one(words, **changes):
        asked = {"family": "rules", "containerDefinitions": [WEB], **SIZE, **changes}
        refused(cloud.ecs.register_task_definition, "ClientException", words, **asked)

    def container(words, **changes):
        one(words, containerDefinitions=[{**WEB, **changes}])

    one("No Fargate configuration exists", cpu="256", memory="4096")
    one("Fargate only supports network mode", networkMode="bridge")
    one("Role is not valid", executionRoleArn="arn:aws:iam::1:user/x")
    one("Volume names must be unique", volumes=[{"name": "a"}, {"name": "a"}])
    one("between 21 and 200", ephemeralStorage={"sizeInGiB": 500})
    container("At least one container must be essential", essential=False)
    container("is not defined", dependsOn=[{"containerName": "db", "condition": "START"}])
    container("Unknown volume", mountPoints=[{"sourceVolume": "data", "containerPath": "/data"}])
    container("must match", portMappings=[{"containerPort": 80, "hostPort": 81}])
    container("'executionRoleArn'", secrets=[{"name": "A", "valueFrom": "a"}])
    container("execution role ARN", image="111122223333.dkr.ecr.eu-west-1.amazonaws.com/web:1")
    container("privileged", privileged=True)


def services(cloud):
    def one(words, **changes):
        asked = {"cluster": "main", "serviceName": "refused", "taskDefinition": "web", **ON_FARGATE, **changes}
        refused(cloud.ecs.create_service, "InvalidParameterException", words, **asked)

    one("subnets can not be empty", networkConfiguration={"awsvpcConfiguration": {"subnets": []}})
    one("Specifying both", capacityProviderStrategy=[{"capacityProvider": "FARGATE", "weight": 1}])
    one("platform version must be null", launchType="EC2", platformVersion="1.4.0")
    one("Health check grace period", healthCheckGracePeriodSeconds=5)
    balancer = {"targetGroupArn": cloud.blue, "containerName": "web", "containerPort": 81}
    one("container port 81", loadBalancers=[balancer])


def same_service(cloud):
    asked = {"cluster": "main", "serviceName": "once", "taskDefinition": "web", "clientToken": "once", **ON_FARGATE}
    first, again = (cloud.ecs.create_service(**asked)["service"] for _ in range(2))
    assert first["serviceArn"] == again["serviceArn"]
    refused(cloud.ecs.create_service, "InvalidParameterException", "idempotent", **{**asked, "desiredCount": 3})


def checks():
    yield "task definitions that are refused", task_definitions
    yield "services that are refused", services
    yield "a service that is asked for again is the same", same_service
