"""Faults that no client library makes: each request is refused, and by none with a server error."""

import urllib.error
import urllib.request

ECS = "AmazonEC2ContainerServiceV20141113.ListClusters"
ELB = "Action=DescribeLoadBalancers&Version=2015-12-01"


def target(name, body=b"{}"):
    return {"headers": {"x-amz-target": name, "content-type": "application/x-amz-json-1.1"}, "data": body}


def form(text):
    return {"headers": {"content-type": "application/x-www-form-urlencoded"}, "data": text.encode()}


# Service, method, path, request, and what else is signed than usual.
FAULTS = [
    ("another service's target", "ecs", "POST", "/", target("AmazonSSM.ListClusters"), {}),
    ("another version's target", "ecs", "POST", "/", target("AmazonEC2ContainerServiceV20131113.ListClusters"), {}),
    ("a target without a service", "ecs", "POST", "/", target("ListClusters"), {}),
    ("no target", "ecs", "POST", "/", {"data": b"{}"}, {}),
    ("another path", "ecs", "POST", "/v1", target(ECS), {}),
    ("another method", "ecs", "PUT", "/", target(ECS), {}),
    ("a body that is not UTF-8", "ecs", "POST", "/", target(ECS, b'{"nextToken":"\xff"}'), {}),
    ("a body that is a list", "ecs", "POST", "/", target(ECS, b"[]"), {}),
    ("an unknown region", "ecs", "POST", "/", target(ECS), {"region": "mars-north-1"}),
    ("an unknown algorithm", "ecs", "POST", "/", target(ECS), {"algorithm": "AWS4-HMAC-SHA1"}),
    ("no version", "elasticloadbalancing", "POST", "/", form("Action=DescribeLoadBalancers"), {}),
    ("another version", "elasticloadbalancing", "POST", "/", form(ELB.replace("2015", "2012")), {}),
    ("no action", "elasticloadbalancing", "POST", "/", form("Version=2015-12-01"), {}),
    ("a form in another path", "elasticloadbalancing", "POST", "/x", form(ELB), {}),
    ("a form by PUT", "elasticloadbalancing", "PUT", "/", form(ELB), {}),
    ("a list that is a text", "elasticloadbalancing", "POST", "/", form(f"{ELB}&Names=a"), {}),
    ("another version of EC2", "ec2", "POST", "/", form("Action=DescribeVpcs&Version=2010-01-01"), {}),
    ("a path that cannot be decoded", "s3", "GET", "/bucket/%ff", {}, {}),
    ("a setting that cannot be deleted", "s3", "DELETE", "/bucket?acl", {}, {}),
    ("a method that there is not", "s3", "PATCH", "/bucket/key", {}, {}),
    ("XML that is not well-formed", "s3", "POST", "/bucket?delete", {"data": b"<Delete><Object>"}, {}),
    ("a path of another version", "lambda", "GET", "/2014-11-13/functions", {}, {}),
    ("a path of another version of DNS", "route53", "GET", "/2012-12-12/hostedzone", {}, {}),
]


def send(url, service, method, path, request, signed):
    region, algorithm = signed.get("region", "us-east-1"), signed.get("algorithm", "AWS4-HMAC-SHA256")
    scope = f"20260101/{region}/{service}/aws4_request"
    headers = {"authorization": f"{algorithm} Credential=AKIACHECK/{scope}, SignedHeaders=host, Signature=0"}
    asked = urllib.request.Request(
        url + path, data=request.get("data"), headers={**headers, **request.get("headers", {})}, method=method
    )
    try:
        return urllib.request.urlopen(asked).status
    except urllib.error.HTTPError as error:
        return error.code


def check(url, tally):
    for what, service, method, path, request, signed in FAULTS:
        status = send(url, service, method, path, request, signed)
        tally.note("wire", f"{service}: {what}", status, status < 400)
