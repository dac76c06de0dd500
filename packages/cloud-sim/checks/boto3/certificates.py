"""Certificates and the records that prove them, asked with boto3."""

import functions

NAMES = ["shop.example.com", "*.shop.example.com"]


def zone(cloud):
    client = cloud.as_role("route53")
    made = client.create_hosted_zone(Name="example.com", CallerReference="one")
    client.get_waiter("resource_record_sets_changed")
    found = client.list_hosted_zones_by_name(DNSName="example.com", MaxItems="1")["HostedZones"]
    assert [one["Id"] for one in found] == [made["HostedZone"]["Id"]], found
    return client, made["HostedZone"]["Id"]


def issued(cloud):
    dns, zone_id = zone(cloud)
    client = cloud.as_role("acm")
    asked = {"DomainName": NAMES[0], "SubjectAlternativeNames": NAMES[1:], "ValidationMethod": "DNS"}
    arn = client.request_certificate(**asked, IdempotencyToken="one")["CertificateArn"]
    assert client.request_certificate(**asked, IdempotencyToken="one")["CertificateArn"] == arn
    options = client.describe_certificate(CertificateArn=arn)["Certificate"]["DomainValidationOptions"]
    assert all("ResourceRecord" not in option for option in options), options
    cloud.advance(5)
    options = client.describe_certificate(CertificateArn=arn)["Certificate"]["DomainValidationOptions"]
    records = {option["ResourceRecord"]["Name"]: option["ResourceRecord"] for option in options}
    changes = [
        {
            "Action": "UPSERT",
            "ResourceRecordSet": {
                "Name": one["Name"],
                "Type": one["Type"],
                "TTL": 300,
                "ResourceRecords": [{"Value": one["Value"]}],
            },
        }
        for one in records.values()
    ]
    assert len(changes) == 1, records
    change = dns.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch={"Changes": changes})["ChangeInfo"]
    assert change["Status"] == "PENDING", change
    cloud.advance(60)
    dns.get_waiter("resource_record_sets_changed").wait(Id=change["Id"], WaiterConfig={"Delay": 1, "MaxAttempts": 2})
    client.get_waiter("certificate_validated").wait(CertificateArn=arn, WaiterConfig={"Delay": 1, "MaxAttempts": 2})
    pages = client.get_paginator("list_certificates").paginate(CertificateStatuses=["ISSUED"])
    listed = [one["CertificateArn"] for page in pages for one in page["CertificateSummaryList"]]
    assert listed == [arn], listed
    client.delete_certificate(CertificateArn=arn)
    functions.refused("ResourceNotFoundException", client.describe_certificate, CertificateArn=arn)


def refused_batches(cloud):
    dns, zone_id = zone(cloud)
    record = {"Name": "a.example.com", "Type": "CNAME", "TTL": 300, "ResourceRecords": [{"Value": "b.example.com"}]}
    batch = lambda action, **more: {"Changes": [{"Action": action, "ResourceRecordSet": {**record, **more}}]}
    change = lambda **given: dns.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch=batch(**given))
    change(action="CREATE")
    for wrong in ({"action": "CREATE"}, {"action": "DELETE", "TTL": 5}, {"action": "UPSERT", "Name": "example.com"}):
        asked = {"HostedZoneId": zone_id, "ChangeBatch": batch(**wrong)}
        functions.refused("InvalidChangeBatch", dns.change_resource_record_sets, **asked)
    pages = dns.get_paginator("list_resource_record_sets").paginate(
        HostedZoneId=zone_id, PaginationConfig={"PageSize": 1}
    )
    kinds = [one["Type"] for page in pages for one in page["ResourceRecordSets"]]
    assert kinds == ["NS", "SOA", "CNAME"], kinds
    change(action="DELETE")
    dns.delete_hosted_zone(Id=zone_id)


def checks():
    yield "a certificate is issued once its record stands", issued
    yield "batches of records are made whole or not at all", refused_batches
