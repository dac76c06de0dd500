import {
  type Change,
  ChangeResourceRecordSetsCommand,
  ChangeTagsForResourceCommand,
  CreateHostedZoneCommand,
  DeleteHostedZoneCommand,
  GetChangeCommand,
  GetHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListHostedZonesCommand,
  ListResourceRecordSetsCommand,
  ListTagsForResourceCommand,
  type RRType,
} from '@aws-sdk/client-route-53'
import { describe, expect, test } from 'vitest'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

async function zone({ route53 }: TestCloud, Name = 'example.com') {
  const { HostedZone } = await route53.send(new CreateHostedZoneCommand({ Name, CallerReference: Name }))
  return HostedZone?.Id ?? ''
}

const record = (Action: Change['Action'], Name: string, value: string, Type: RRType = 'CNAME'): Change => ({
  Action,
  ResourceRecordSet: { Name, Type, TTL: 300, ResourceRecords: [{ Value: value }] },
})

const change = ({ route53 }: TestCloud, HostedZoneId: string, ...Changes: Change[]) =>
  route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch: { Changes } }))

async function names({ route53 }: TestCloud, HostedZoneId: string) {
  const { ResourceRecordSets } = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId }))
  return ResourceRecordSets?.map(({ Name, Type }) => `${Name} ${Type}`)
}

describe.concurrent('the simulated Route 53', () => {
  test('reports a change as PENDING until it has propagated', async () => {
    await using cloud = await startCloud()
    const { ChangeInfo } = await change(cloud, await zone(cloud), record('CREATE', 'a.example.com', 'b.example.com'))
    const status = async () =>
      (await cloud.route53.send(new GetChangeCommand({ Id: ChangeInfo?.Id }))).ChangeInfo?.Status
    expect(await status()).toBe('PENDING')
    await cloud.control.advance(30)
    expect(await status()).toBe('INSYNC')
  })

  test('applies a batch completely or not at all', async () => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    const wrong = change(
      cloud,
      id,
      record('CREATE', 'a.example.com', 'b.example.com'),
      record('DELETE', 'missing.example.com', 'b.example.com'),
    )
    await expect(wrong).rejects.toMatchObject({
      name: 'InvalidChangeBatch',
      message: expect.stringContaining("[name='missing.example.com.', type='CNAME'] but it was not found"),
    })
    expect(await names(cloud, id)).toEqual(['example.com. NS', 'example.com. SOA'])
  })

  test.each<[string, Change]>([
    ['already exists', record('CREATE', 'a.example.com', 'c.example.com')],
    ['values provided do not match', record('DELETE', 'a.example.com', 'c.example.com')],
    ['not permitted in zone', record('UPSERT', 'a.example.org', 'b.example.com')],
    ['conflicts with other records', record('UPSERT', 'a.example.com', '192.0.2.1', 'A')],
    ['not a valid IPv4 address', record('UPSERT', 'b.example.com', '192.0.2.256', 'A')],
    ['not a valid IPv6 address', record('UPSERT', 'b.example.com', '192.0.2.1', 'AAAA')],
    ['enclosed in quotation marks', record('UPSERT', 'b.example.com', 'v=spf1 -all', 'TXT')],
    ['Value is too long', record('UPSERT', 'b.example.com', `"${'x'.repeat(256)}"`, 'TXT')],
    ['not permitted at apex', record('UPSERT', 'example.com', 'b.example.com')],
  ])('rejects a change: %s', async (why, wrong) => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    await change(cloud, id, record('CREATE', 'a.example.com', 'b.example.com'))
    await expect(change(cloud, id, wrong)).rejects.toThrow(why)
    await change(cloud, id, record('UPSERT', 'a.example.com', 'c.example.com'))
    await change(cloud, id, record('DELETE', 'A.example.com.', 'c.example.com'))
    expect(await names(cloud, id)).toHaveLength(2)
  })

  test('allows a batch to change a record set once, or to delete and recreate it', async () => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    const upserts = ['b', 'c'].map((value) => record('UPSERT', 'a.example.com', `${value}.example.com`))
    await expect(change(cloud, id, ...upserts)).rejects.toThrow(/invalid set of changes for a resource record set/)
    await change(cloud, id, record('CREATE', 'a.example.com', 'b.example.com'))
    await change(
      cloud,
      id,
      record('DELETE', 'a.example.com', 'b.example.com'),
      record('CREATE', 'a.example.com', 'c.example.com'),
    )
    await expect(change(cloud, id, record('UPSERT', 'a.example.com', '', 'TXT'))).rejects.toBeDefined()
    const twice: Change = {
      Action: 'UPSERT',
      ResourceRecordSet: {
        Name: 'd.example.com',
        Type: 'A',
        TTL: 300,
        ResourceRecords: [{ Value: '192.0.2.1' }, { Value: '192.0.2.1' }],
      },
    }
    await expect(change(cloud, id, twice)).rejects.toThrow(/Duplicate Resource Record/)
    await change(cloud, id, record('UPSERT', 'e.example.com', '"two" "texts"', 'TXT'))
  })

  test('rejects a negative TTL', async () => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    const ResourceRecords = [{ Value: '192.0.2.1' }]
    const negative = { Name: 'a.example.com', Type: 'A' as const, TTL: -7, ResourceRecords }
    await expect(change(cloud, id, { Action: 'UPSERT', ResourceRecordSet: negative })).rejects.toThrow(
      /greater than or equal to 0/,
    )
  })

  test('lists records by reversed labels, in pages, with unusual characters escaped', async () => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    const given = ['www.example.com', '*.example.com', 'a.www.example.com']
    await change(cloud, id, ...given.map((name) => record('CREATE', name, 'x.example.com')))
    const { route53 } = cloud
    const seen: string[] = []
    let next: { StartRecordName?: string; StartRecordType?: 'A' } | undefined = {}
    while (next) {
      const page: Awaited<ReturnType<typeof list>> = await list(next)
      seen.push(...(page.ResourceRecordSets ?? []).map(({ Name = '' }) => Name))
      next = page.IsTruncated
        ? { StartRecordName: page.NextRecordName ?? '', StartRecordType: page.NextRecordType as 'A' }
        : undefined
    }
    expect(seen).toEqual([
      'example.com.',
      'example.com.',
      '\\052.example.com.',
      'www.example.com.',
      'a.www.example.com.',
    ])

    function list(from: object) {
      return route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id, MaxItems: 2, ...from }))
    }
  })

  test('finds zones by name and deletes empty ones', async () => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    await zone(cloud, 'shop.example.com')
    await zone(cloud, 'example.org')
    const found = await cloud.route53.send(new ListHostedZonesByNameCommand({ DNSName: 'example.com', MaxItems: 1 }))
    expect(found).toMatchObject({ HostedZones: [{ Name: 'example.com.' }], NextDNSName: 'shop.example.com.' })
    expect((await cloud.route53.send(new ListHostedZonesCommand({ MaxItems: 2 }))).IsTruncated).toBe(true)
    await change(cloud, id, record('CREATE', 'a.example.com', 'b.example.com'))
    const removal = () => cloud.route53.send(new DeleteHostedZoneCommand({ Id: id }))
    await expect(removal()).rejects.toMatchObject({ name: 'HostedZoneNotEmpty' })
    await change(cloud, id, record('DELETE', 'a.example.com', 'b.example.com'))
    await removal()
    await expect(cloud.route53.send(new GetHostedZoneCommand({ Id: id }))).rejects.toMatchObject({
      name: 'NoSuchHostedZone',
    })
  })

  test('limits an account to five requests a second and one batch at a time, if rate limits are enabled', async () => {
    await using cloud = await startCloud()
    const id = await zone(cloud)
    await cloud.control.setWeather({ limitsRates: true })
    const upsert = () => change(cloud, id, record('UPSERT', 'a.example.com', 'b.example.com'))
    await upsert()
    await expect(upsert()).rejects.toMatchObject({ name: 'PriorRequestNotComplete' })
    await cloud.control.advance(1)
    await upsert()
    const burst = await Promise.allSettled(
      Array.from({ length: 8 }, () => cloud.route53.send(new ListHostedZonesCommand())),
    )
    const refused = burst.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]).toMatchObject({ reason: { name: 'Throttling' } })
  })

  test('supports tags of zones', async () => {
    await using cloud = await startCloud()
    const ResourceId = (await zone(cloud)).replace('/hostedzone/', '')
    const named = { ResourceType: 'hostedzone' as const, ResourceId }
    await cloud.route53.send(new ChangeTagsForResourceCommand({ ...named, AddTags: [{ Key: 'team', Value: 'shop' }] }))
    const { ResourceTagSet } = await cloud.route53.send(new ListTagsForResourceCommand(named))
    expect(ResourceTagSet?.Tags).toEqual([{ Key: 'team', Value: 'shop' }])
  })
})
