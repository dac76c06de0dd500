import {
  ACMClient,
  AddTagsToCertificateCommand,
  type CertificateDetail,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  ListCertificatesCommand,
  ListTagsForCertificateCommand,
  RequestCertificateCommand,
  type RequestCertificateCommandInput,
} from '@aws-sdk/client-acm'
import { CreateDistributionCommand } from '@aws-sdk/client-cloudfront'
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DeleteListenerCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand } from '@aws-sdk/client-route-53'
import { describe, expect, test } from 'vitest'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

async function request({ acm }: TestCloud, more: Partial<RequestCertificateCommandInput> = {}) {
  const asked = { DomainName: 'shop.example.com', ValidationMethod: 'DNS' as const, ...more }
  return (await acm.send(new RequestCertificateCommand(asked))).CertificateArn ?? ''
}

async function look({ acm }: Pick<TestCloud, 'acm'>, CertificateArn: string): Promise<CertificateDetail> {
  return (await acm.send(new DescribeCertificateCommand({ CertificateArn }))).Certificate ?? {}
}

async function zone({ route53 }: TestCloud, Name = 'example.com') {
  const { HostedZone } = await route53.send(new CreateHostedZoneCommand({ Name, CallerReference: Name }))
  return HostedZone?.Id ?? ''
}

/** Creates a certificate's validation records once they are available. */
async function prove(cloud: TestCloud, arn: string, HostedZoneId: string) {
  await cloud.control.advance(5)
  const options = (await look(cloud, arn)).DomainValidationOptions ?? []
  // A name and its wildcard share one record, and a batch may change a record only once.
  const records = new Map(options.map(({ ResourceRecord: record }) => [record?.Name, record]))
  const Changes = [...records.values()].map((record) => ({
    Action: 'UPSERT' as const,
    ResourceRecordSet: {
      Name: record?.Name,
      Type: record?.Type,
      TTL: 300,
      ResourceRecords: [{ Value: record?.Value }],
    },
  }))
  await cloud.route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch: { Changes } }))
  await cloud.control.advance(60)
}

/** Creates a load balancer whose listener uses a certificate. */
async function show({ elb }: TestCloud, CertificateArn: string, Name = 'web') {
  const { LoadBalancers } = await elb.send(new CreateLoadBalancerCommand({ Name, Subnets: ['subnet-1'] }))
  const { TargetGroups } = await elb.send(new CreateTargetGroupCommand({ Name, Port: 80, Protocol: 'HTTP' }))
  const listener = {
    LoadBalancerArn: LoadBalancers?.[0]?.LoadBalancerArn,
    Port: 443,
    Protocol: 'HTTPS' as const,
    Certificates: [{ CertificateArn }],
    DefaultActions: [{ Type: 'forward' as const, TargetGroupArn: TargetGroups?.[0]?.TargetGroupArn }],
  }
  const { Listeners } = await elb.send(new CreateListenerCommand(listener))
  return { loadBalancer: LoadBalancers?.[0]?.LoadBalancerArn, listener: Listeners?.[0]?.ListenerArn }
}

describe.concurrent('the simulated ACM', () => {
  test('returns the validation records after some seconds and issues the certificate once they exist', async () => {
    await using cloud = await startCloud()
    const arn = await request(cloud, { SubjectAlternativeNames: ['*.shop.example.com'] })
    const asked = await look(cloud, arn)
    expect(asked.Status).toBe('PENDING_VALIDATION')
    expect(asked.DomainValidationOptions?.map((one) => one.ResourceRecord)).toEqual([undefined, undefined])
    await prove(cloud, arn, await zone(cloud))
    const issued = await look(cloud, arn)
    expect(issued.Status).toBe('ISSUED')
    const [own, wildcard] = issued.DomainValidationOptions ?? []
    expect(own?.ResourceRecord).toEqual(wildcard?.ResourceRecord)
    const days = (Number(issued.NotAfter) - Number(issued.NotBefore)) / 86_400_000
    expect(days).toBe(198)
  })

  test('fails a certificate after 72 hours without the records', async () => {
    await using cloud = await startCloud()
    const arn = await request(cloud)
    await zone(cloud)
    await cloud.control.advance(72 * 3600 - 60)
    expect((await look(cloud, arn)).Status).toBe('PENDING_VALIDATION')
    await cloud.control.advance(120)
    expect((await look(cloud, arn)).Status).toBe('VALIDATION_TIMED_OUT')
  })

  test('queries the nearest zone: a subdomain’s zone hides the records of its parent', async () => {
    await using cloud = await startCloud()
    const above = await zone(cloud)
    const below = await zone(cloud, 'shop.example.com')
    const arn = await request(cloud)
    await prove(cloud, arn, above)
    expect((await look(cloud, arn)).Status).toBe('PENDING_VALIDATION')
    await prove(cloud, arn, below)
    expect((await look(cloud, arn)).Status).toBe('ISSUED')
  })

  test('fails a name whose zone forbids issuance', async () => {
    await using cloud = await startCloud()
    const arn = await request(cloud, { DomainName: 'shop-caa.example.com' })
    await cloud.control.advance(60)
    expect(await look(cloud, arn)).toMatchObject({ Status: 'FAILED', FailureReason: 'CAA_ERROR' })
  })

  test('returns the same certificate for the same token and names', async () => {
    await using cloud = await startCloud()
    const first = await request(cloud, { IdempotencyToken: 'one' })
    expect(await request(cloud, { IdempotencyToken: 'one' })).toBe(first)
    expect(await request(cloud, { IdempotencyToken: 'one', DomainName: 'blog.example.com' })).not.toBe(first)
    expect(await request(cloud, { IdempotencyToken: 'two' })).not.toBe(first)
    const many = Array.from({ length: 10 }, (_, index) => `a${index}.example.com`)
    await expect(request(cloud, { SubjectAlternativeNames: many })).rejects.toThrow('10 domain names')
  })

  test('lists by page and status within one region', async () => {
    await using cloud = await startCloud()
    for (const name of ['a', 'b', 'c']) await request(cloud, { DomainName: `${name}.example.com` })
    const page = await cloud.acm.send(new ListCertificatesCommand({ MaxItems: 2 }))
    expect(page.CertificateSummaryList).toHaveLength(2)
    const rest = await cloud.acm.send(new ListCertificatesCommand({ MaxItems: 2, NextToken: page.NextToken }))
    expect(rest.CertificateSummaryList?.map((one) => one.DomainName)).toEqual(['c.example.com'])
    expect(rest.NextToken).toBeUndefined()
    const issued = await cloud.acm.send(new ListCertificatesCommand({ CertificateStatuses: ['ISSUED'] }))
    expect(issued.CertificateSummaryList).toEqual([])
    const elsewhere = new ACMClient({ ...cloud.settings, region: 'us-east-1' })
    expect((await elsewhere.send(new ListCertificatesCommand())).CertificateSummaryList).toEqual([])
    elsewhere.destroy()
  })

  test('keeps a certificate that a load balancer uses and renews it in time', async () => {
    await using cloud = await startCloud()
    const arn = await request(cloud)
    await expect(show(cloud, arn, 'early')).rejects.toThrow('is not valid')
    await prove(cloud, arn, await zone(cloud))
    const { loadBalancer, listener } = await show(cloud, arn)
    const before = await look(cloud, arn)
    expect(before.InUseBy).toEqual([loadBalancer])
    const removal = () => cloud.acm.send(new DeleteCertificateCommand({ CertificateArn: arn }))
    await expect(removal()).rejects.toMatchObject({ name: 'ResourceInUseException' })
    await cloud.control.advance(154 * 86_400)
    const after = await look(cloud, arn)
    expect(after.RenewalSummary?.RenewalStatus).toBe('SUCCESS')
    expect(Number(after.NotAfter)).toBeGreaterThan(Number(before.NotAfter))
    await cloud.elb.send(new DeleteListenerCommand({ ListenerArn: listener }))
    await removal()
    await expect(look(cloud, arn)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  })

  test('lets an unused certificate expire', async () => {
    await using cloud = await startCloud()
    await cloud.control.setTiming({ certificateValidityDays: 20 })
    const arn = await request(cloud)
    await prove(cloud, arn, await zone(cloud))
    expect((await look(cloud, arn)).Status).toBe('ISSUED')
    await cloud.control.advance(21 * 86_400)
    expect((await look(cloud, arn)).Status).toBe('EXPIRED')
  })

  test('requires a certificate in us-east-1 with all aliases for a distribution', async () => {
    await using cloud = await startCloud()
    const create = (arn: string, alias: string) =>
      cloud.cloudFront.send(
        new CreateDistributionCommand({
          DistributionConfig: {
            CallerReference: arn,
            Comment: '',
            Enabled: true,
            Origins: { Quantity: 1, Items: [{ Id: 'files', DomainName: 'site.s3.eu-west-1.amazonaws.com' }] },
            DefaultCacheBehavior: { TargetOriginId: 'files', ViewerProtocolPolicy: 'redirect-to-https' },
            Aliases: { Quantity: 1, Items: [alias] },
            ViewerCertificate: { ACMCertificateArn: arn, SSLSupportMethod: 'sni-only' },
          },
        }),
      )
    const here = await request(cloud)
    const id = await zone(cloud)
    await prove(cloud, here, id)
    await expect(create(here, 'shop.example.com')).rejects.toMatchObject({ name: 'InvalidViewerCertificate' })
    const acm = new ACMClient({ ...cloud.settings, region: 'us-east-1' })
    const there = await request({ ...cloud, acm })
    await cloud.control.advance(60)
    expect((await look({ acm }, there)).Status).toBe('ISSUED')
    await expect(create(there, 'blog.example.com')).rejects.toMatchObject({ name: 'InvalidViewerCertificate' })
    const { Distribution } = await create(there, 'shop.example.com')
    expect((await look({ acm }, there)).InUseBy).toEqual([Distribution?.ARN])
    acm.destroy()
  })

  test('supports tags', async () => {
    await using cloud = await startCloud()
    const CertificateArn = await request(cloud, { Tags: [{ Key: 'team', Value: 'shop' }] })
    await cloud.acm.send(new AddTagsToCertificateCommand({ CertificateArn, Tags: [{ Key: 'stage', Value: 'test' }] }))
    const { Tags } = await cloud.acm.send(new ListTagsForCertificateCommand({ CertificateArn }))
    expect(Tags).toEqual([
      { Key: 'team', Value: 'shop' },
      { Key: 'stage', Value: 'test' },
    ])
  })
})
