import { ListCertificatesCommand, RequestCertificateCommand } from '@aws-sdk/client-acm'
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
} from '@aws-sdk/client-route-53'
import { apiErrors, type Certificate, type FoundCertificates } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startWorld, type World } from '../../testing/world.ts'

let world: World
type Organization = Awaited<ReturnType<World['organization']>>

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const region = 'eu-west-1'
let names = 0
/** Returns a unique domain name, because all tests share the simulator's DNS. */
const newName = () => `shop.example-${++names}.com`

const request = ({ client, cloudAccountId }: Organization, domainName: string, more: object = {}) =>
  client.done<Certificate>('POST', '/certificates', { data: { cloudAccountId, region, domainName, ...more } })

const read = ({ client }: Organization, id: string) => client.done<Certificate>('GET', `/certificates/${id}`)

const until = (organization: Organization, id: string, isSo: (one: Certificate) => boolean) =>
  eventually('the certificate', () => read(organization, id), isSo)

async function zone({ clients }: Organization, name: string): Promise<string> {
  const { HostedZone } = await clients.names.send(new CreateHostedZoneCommand({ Name: name, CallerReference: name }))
  return HostedZone?.Id ?? ''
}

const recordsIn = async ({ clients }: Organization, HostedZoneId: string) =>
  (await clients.names.send(new ListResourceRecordSetsCommand({ HostedZoneId }))).ResourceRecordSets?.filter(
    ({ Type }) => Type === 'CNAME',
  )

test('a certificate is requested, its DNS record is created in the zone of the account, and it is issued', async () => {
  const organization = await world.organization({ delivery: false })
  const name = newName()
  const id = await zone(organization, name.replace('shop.', ''))
  const asked = await request(organization, name, { alternativeNames: [`*.${name}`] })
  expect(asked).toMatchObject({ status: 'REQUESTED', origin: 'REQUESTED', names: [name, `*.${name}`], records: [] })
  const issued = await until(organization, asked.id, ({ status }) => status === 'ISSUED')
  expect(issued.records).toEqual([
    expect.objectContaining({ names: [name, `*.${name}`], type: 'CNAME', status: 'CREATED', isValidated: true }),
  ])
  expect(issued).toMatchObject({ expiresSoon: false, inUseBy: [], arn: expect.stringContaining(':acm:eu-west-1:') })
  const [record] = issued.records
  expect(await recordsIn(organization, id)).toEqual([
    expect.objectContaining({ Name: record?.name, ResourceRecords: [{ Value: record?.value }] }),
  ])
  const events = await organization.client.done<{ action: string }[]>('GET', `/audit-events?resourceId=${asked.id}`)
  expect(events.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['certificates.create', 'certificates.follow']),
  )
})

test('if the account has no zone, the record is returned to be created manually, and the certificate is issued once it exists', async () => {
  const organization = await world.organization({ delivery: false })
  const elsewhere = await world.organization({ delivery: false })
  const name = newName()
  const { id } = await request(organization, name)
  const waiting = await until(organization, id, ({ records: [record] }) => record?.status === 'MANUAL')
  const [record] = waiting.records
  const HostedZoneId = await zone(elsewhere, name.replace('shop.', ''))
  const set = { Name: record?.name, Type: 'CNAME' as const, TTL: 60, ResourceRecords: [{ Value: record?.value }] }
  const ChangeBatch = { Changes: [{ Action: 'CREATE' as const, ResourceRecordSet: set }] }
  await elsewhere.clients.names.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch }))
  await organization.client.done('POST', `/certificates/${id}/check`)
  await until(organization, id, ({ status }) => status === 'ISSUED')
})

test('an existing record with another value is not overwritten', async () => {
  const organization = await world.organization({ delivery: false })
  const name = newName()
  const apex = name.replace('shop.', '')
  const first = await request(organization, name, { writesRecords: false })
  const { records } = await until(organization, first.id, (one) => one.records.length === 1)
  const HostedZoneId = await zone(organization, apex)
  const set = {
    Name: records[0]?.name,
    Type: 'CNAME' as const,
    TTL: 60,
    ResourceRecords: [{ Value: `other.${apex}.` }],
  }
  const ChangeBatch = { Changes: [{ Action: 'CREATE' as const, ResourceRecordSet: set }] }
  await organization.clients.names.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch }))
  const { id } = await request(organization, name)
  const seen = await until(organization, id, ({ records: [record] }) => record?.problem !== undefined)
  expect(seen.records[0]).toMatchObject({ status: 'MANUAL', zoneName: `${apex}.` })
  expect((await recordsIn(organization, HostedZoneId))?.[0]).toMatchObject(set)
})

test('a failed certificate reports the reason and can be deleted', async () => {
  const organization = await world.organization({ delivery: false })
  const { id } = await request(organization, newName().replace('shop.', 'shop-caa.'))
  const failed = await until(organization, id, ({ status }) => status === 'FAILED')
  expect(failed.error).toMatchObject({ metadata: { reason: 'CAA_ERROR' } })
  expect(await organization.client.ask('DELETE', `/certificates/${id}`)).toMatchObject({ status: 204 })
  const left = await organization.clients.certificates.send(new ListCertificatesCommand())
  expect(left.CertificateSummaryList).toEqual([])
})

test('a request whose response was lost creates one certificate', async () => {
  const organization = await world.organization({ delivery: false })
  await world.cloud.addFault({
    kind: 'drop-answer',
    operation: 'RequestCertificate',
    account: organization.accountNumber,
    times: 1,
  })
  const { id } = await request(organization, newName())
  await until(organization, id, ({ arn }) => arn !== undefined)
  const made = await organization.clients.certificates.send(new ListCertificatesCommand())
  expect(made.CertificateSummaryList).toHaveLength(1)
})

test('certificates that already exist in the account are imported once and observed', async () => {
  const organization = await world.organization({ delivery: false })
  const { client, clients, cloudAccountId } = organization
  const DomainName = newName()
  await clients.certificates.send(new RequestCertificateCommand({ DomainName, ValidationMethod: 'DNS' }))
  const find = () => client.done<FoundCertificates>('POST', '/certificates/find', { data: { cloudAccountId, region } })
  expect(await find()).toEqual({ found: 1, added: 1 })
  expect(await find()).toEqual({ found: 1, added: 0 })
  const [found] = await client.done<Certificate[]>('GET', `/certificates?cloudAccountId=${cloudAccountId}`)
  const seen = await until(organization, found?.id ?? '', ({ records }) => records.length === 1)
  expect(seen).toMatchObject({ origin: 'FOUND', names: [DomainName], records: [{ status: 'MANUAL' }] })
  const lines = await client.done<{ action: string }[]>('GET', `/audit-events?resourceId=${cloudAccountId}`)
  expect(lines.filter(({ action }) => action === 'certificates.find')).toHaveLength(2)
  await client.ask('DELETE', `/certificates/${seen.id}?keepInAccount=true`)
  expect(await find()).toEqual({ found: 1, added: 1 })
})

test('a certificate within 30 days of expiry is marked as expiring soon and emits a change', async () => {
  const organization = await world.organization({ delivery: false })
  await world.cloud.setTiming({ certificateValidityDays: 20 })
  const name = newName()
  await zone(organization, name)
  const { id } = await request(organization, name)
  await until(organization, id, ({ status, expiresSoon }) => status === 'ISSUED' && expiresSoon)
  await world.cloud.setTiming({ certificateValidityDays: 198 })
  const soon = await organization.client.done<Certificate[]>('GET', '/certificates?expiresSoon=true')
  expect(soon.map((one) => one.id)).toEqual([id])
  expect(await organization.client.done('GET', '/certificates?expiresSoon=false')).toEqual([])
})

test('a missing permission is reported, and people can create the record manually', async () => {
  const organization = await world.organization({ delivery: false })
  const { client, cloudAccountId, accountNumber: account } = organization
  await world.cloud.addFault({ kind: 'access-denied', operation: 'ListHostedZones', account })
  const { id } = await request(organization, newName())
  const seen = await until(organization, id, ({ records: [record] }) => record?.problem !== undefined)
  expect(seen.records[0]).toMatchObject({ status: 'MANUAL', problem: expect.stringContaining('AccessDenied') })
  await world.cloud.addFault({ kind: 'access-denied', operation: 'ListCertificates', account })
  const data = { cloudAccountId, region }
  expect(await client.ask('POST', '/certificates/find', { data })).toMatchObject({
    status: 422,
    body: { code: apiErrors.certificatesUnreadable.code },
  })
})
