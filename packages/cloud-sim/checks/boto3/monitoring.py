"""Metrics and alarms of the simulated cloud, asked with boto3."""

from datetime import datetime, timedelta, timezone


def metrics_read(cloud):
    client = cloud.as_role("cloudwatch")
    now = datetime.now(timezone.utc).replace(second=0, microsecond=0)
    dimensions = [{"Name": "Service", "Value": "web"}]
    for minutes, value in ((2, 3.0), (1, 7.5)):
        datum = {"MetricName": "Errors", "Dimensions": dimensions, "Timestamp": now - timedelta(minutes=minutes)}
        client.put_metric_data(Namespace="Shop", MetricData=[{**datum, "Value": value, "Unit": "Count"}])
    metric = {"Namespace": "Shop", "MetricName": "Errors", "Dimensions": dimensions}
    query = {"Id": "errors", "MetricStat": {"Metric": metric, "Stat": "Sum", "Period": 60}}
    found = client.get_paginator("get_metric_data").paginate(
        MetricDataQueries=[query],
        StartTime=now - timedelta(minutes=10),
        EndTime=now,
        ScanBy="TimestampAscending",
        PaginationConfig={"PageSize": 1},
    )
    points = [
        (moment, value)
        for page in found
        for result in page["MetricDataResults"]
        for moment, value in zip(result["Timestamps"], result["Values"])
    ]
    assert points == [(now - timedelta(minutes=2), 3.0), (now - timedelta(minutes=1), 7.5)], points
    assert client.list_metrics(Namespace="Shop")["Metrics"] == [metric]


def service_measured(cloud):
    now = datetime.now(timezone.utc)
    dimensions = [{"Name": "ClusterName", "Value": "main"}, {"Name": "ServiceName", "Value": "web"}]
    metric = {"Namespace": "AWS/ECS", "MetricName": "CPUUtilization", "Dimensions": dimensions}
    query = {"Id": "cpu", "MetricStat": {"Metric": metric, "Stat": "Average", "Period": 300}}
    answer = cloud.as_role("cloudwatch").get_metric_data(
        MetricDataQueries=[query], StartTime=now - timedelta(hours=1), EndTime=now
    )
    assert len(answer["MetricDataResults"][0]["Values"]) >= 11, answer


def alarm_rings(cloud):
    client = cloud.as_role("cloudwatch")
    client.put_metric_alarm(
        AlarmName="errors",
        Namespace="Shop",
        MetricName="Errors",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=5,
        ComparisonOperator="GreaterThanThreshold",
    )
    client.set_alarm_state(AlarmName="errors", StateValue="ALARM", StateReason="a drill")
    client.get_waiter("alarm_exists").wait(AlarmNames=["errors"], WaiterConfig={"MaxAttempts": 1})
    assert client.describe_alarms(StateValue="ALARM")["MetricAlarms"][0]["AlarmName"] == "errors"
    client.put_metric_data(Namespace="Shop", MetricData=[{"MetricName": "Errors", "Value": 1}])
    assert client.describe_alarms(AlarmNames=["errors"])["MetricAlarms"][0]["StateValue"] == "OK"
    client.delete_alarms(AlarmNames=["errors"])
    try:
        client.delete_alarms(AlarmNames=["errors"])
    except client.exceptions.ResourceNotFound:
        return
    raise AssertionError("an alarm was deleted twice")


def checks():
    yield "metrics that were put are read", metrics_read
    yield "a service is measured", service_measured
    yield "an alarm rings", alarm_rings
