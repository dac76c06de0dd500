"""What an account has to release into and to release: networks and images, described with boto3."""

PLACE = {"account": "111122223333", "region": "eu-west-1"}
SHOP = {
    **PLACE,
    "id": "vpc-0a1b2c3d4e5f60718",
    "name": "shop",
    "cidr": "10.0.0.0/16",
    "subnets": [
        {"id": f"subnet-0a1b2c3d4e5f6071{index}", "cidr": f"10.0.{index}.0/24", "zone": zone, "isPublic": index > 1}
        for index, zone in enumerate("abcab")
    ],
    "securityGroups": [{"id": "sg-0a1b2c3d4e5f60713", "name": "shop", "description": "The shop"}],
}


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def networks_read(cloud):
    cloud.control("PUT", "networks", SHOP)
    client = cloud.as_role("ec2")
    own = [{"Name": "vpc-id", "Values": [SHOP["id"]]}]
    equal(client.describe_vpcs(Filters=own)["Vpcs"][0]["Tags"], [{"Key": "Name", "Value": "shop"}])
    pages = client.get_paginator("describe_subnets").paginate(PaginationConfig={"PageSize": 5})
    counts = [len(page["Subnets"]) for page in pages]
    equal(counts, [5, 3])
    tables = client.describe_route_tables(Filters=own)["RouteTables"]
    public = [one for table in tables for one in table["Associations"] if not one["Main"]]
    equal([one["SubnetId"][-1] for one in public], ["2", "3", "4"])
    equal(client.describe_security_groups(Filters=own)["SecurityGroups"][0]["GroupName"], "shop")
    client.get_waiter("subnet_available").wait(Filters=own, WaiterConfig={"MaxAttempts": 1})


def network_missing(cloud):
    client = cloud.as_role("ec2")
    try:
        client.describe_vpcs(VpcIds=["vpc-gone"])
    except client.exceptions.ClientError as error:
        equal(error.response["Error"]["Code"], "InvalidVpcID.NotFound")
        return
    raise AssertionError("a network that nobody made was described")


def images_read(cloud):
    images = [{"tags": [f"1.{number}"], "secondsAgo": number * 60} for number in range(150)]
    cloud.control("PUT", "repositories", {**PLACE, "name": "shop/web", "images": images})
    client = cloud.as_role("ecr")
    repository = client.describe_repositories(repositoryNames=["shop/web"])["repositories"][0]
    equal(repository["repositoryUri"], "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web")
    pages = client.get_paginator("describe_images").paginate(repositoryName="shop/web")
    found = [image for page in pages for image in page["imageDetails"]]
    equal(len(found), 150)
    equal(max(found, key=lambda image: image["imagePushedAt"])["imageTags"], ["1.0"])
    try:
        client.describe_images(repositoryName="shop/none")
    except client.exceptions.RepositoryNotFoundException:
        return
    raise AssertionError("images of a repository that is not there were described")


def checks():
    yield "networks are described", networks_read
    yield "a network that is not there is refused", network_missing
    yield "images are described, page by page", images_read
