import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { base32, digits } from '../ids.ts'
import { child, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { dnsReply, invalidInput, pageSize } from './answers.ts'
import { changeInfo, recordChange } from './changes.ts'
import { reversed, writtenName } from './names.ts'
import { keyOf, sortedRecords } from './record-sets.ts'
import { type HostedZone, route53 } from './state.ts'

type Named = { Id: string }

export function createHostedZone(world: World, caller: Caller, input: { CreateHostedZoneRequest?: Xml }) {
  const asked = input.CreateHostedZoneRequest
  const callerReference = childText(asked, 'CallerReference') ?? ''
  const config = child(asked, 'HostedZoneConfig')
  const there = ownZones(world, caller).find((zone) => zone.callerReference === callerReference)
  if (there) {
    const message = `A hosted zone has already been created with the specified caller reference: ${callerReference}`
    throw new CloudError('HostedZoneAlreadyExists', message, 409)
  }
  const name = writtenName(childText(asked, 'Name') ?? '')
  if (!/^([a-z0-9_-]{1,63}\.)+$/.test(name))
    throw new CloudError('InvalidDomainName', `${name} is not a valid domain name.`)
  const zone: HostedZone = {
    key: `Z${base32(19)}`,
    account: caller.accountId,
    name,
    callerReference,
    comment: childText(config, 'Comment'),
    isPrivate: childText(config, 'PrivateZone') === 'true' || child(asked, 'VPC') !== undefined,
    nameServers: ['com', 'net', 'org', 'co.uk'].map(
      (end, index) => `ns-${index * 512 + Number(digits(2))}.awsdns-${digits(2)}.${end}`,
    ),
    tags: {},
  }
  route53(world).zones.save(zone)
  addOwnRecords(world, zone)
  const location = `https://route53.amazonaws.com/2013-04-01/hostedzone/${zone.key}`
  const change = recordChange(world, caller)
  const elements = {
    HostedZone: describe(world, zone),
    ChangeInfo: changeInfo(world, change),
    DelegationSet: delegation(zone),
  }
  return dnsReply('CreateHostedZoneResponse', elements, { status: 201, headers: { location } })
}

/** Adds the NS and SOA records of a new zone. */
function addOwnRecords(world: World, { key: zone, name, nameServers }: HostedZone): void {
  const add = (type: string, TTL: string, values: string[]) =>
    route53(world).records.save({
      key: keyOf(zone, name, type),
      zone,
      name,
      type,
      config: { Name: name, Type: type, TTL, ResourceRecords: { ResourceRecord: values.map((Value) => ({ Value })) } },
      inSyncAt: world.clock.now(),
    })
  add(
    'NS',
    '172800',
    nameServers.map((server) => `${server}.`),
  )
  add('SOA', '900', [`${nameServers[0]}. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`])
}

export function getHostedZone(world: World, caller: Caller, { Id }: Named) {
  const zone = findZone(world, caller, Id)
  return dnsReply('GetHostedZoneResponse', { HostedZone: describe(world, zone), DelegationSet: delegation(zone) })
}

export function listHostedZones(
  world: World,
  caller: Caller,
  { marker, maxitems }: { marker?: string; maxitems?: string },
) {
  const all = ownZones(world, caller)
  const size = pageSize(maxitems)
  const from = marker === undefined ? 0 : all.findIndex(({ key }) => key === marker)
  if (from < 0) throw invalidInput(`Invalid marker: ${marker}`)
  const next = all[from + size]
  return dnsReply('ListHostedZonesResponse', {
    HostedZones: { HostedZone: all.slice(from, from + size).map((zone) => describe(world, zone)) },
    Marker: marker ?? '',
    IsTruncated: next !== undefined,
    NextMarker: next?.key,
    MaxItems: size,
  })
}

interface ByName {
  dnsname?: string
  hostedzoneid?: string
  maxitems?: string
}

export function listHostedZonesByName(world: World, caller: Caller, { dnsname, hostedzoneid, maxitems }: ByName) {
  const placeOf = (name: string, id: string) => `${reversed(writtenName(name))}\0${id}`
  const place = ({ name, key }: HostedZone) => placeOf(name, key)
  const first = dnsname === undefined ? '' : placeOf(dnsname, hostedzoneid ?? '')
  const sorted = ownZones(world, caller).sort((a, b) => (place(a) < place(b) ? -1 : 1))
  const found = sorted.filter((zone) => place(zone) >= first)
  const size = pageSize(maxitems)
  const next = found[size]
  return dnsReply('ListHostedZonesByNameResponse', {
    HostedZones: { HostedZone: found.slice(0, size).map((zone) => describe(world, zone)) },
    DNSName: dnsname,
    HostedZoneId: hostedzoneid,
    IsTruncated: next !== undefined,
    NextDNSName: next?.name,
    NextHostedZoneId: next?.key,
    MaxItems: size,
  })
}

export function deleteHostedZone(world: World, caller: Caller, { Id }: Named) {
  const zone = findZone(world, caller, Id)
  const records = sortedRecords(world, zone.key)
  if (records.some(({ name, type }) => name !== zone.name || !['NS', 'SOA'].includes(type))) {
    const message = 'The specified hosted zone contains non-required resource record sets and so cannot be deleted.'
    throw new CloudError('HostedZoneNotEmpty', message)
  }
  for (const record of records) route53(world).records.remove(record)
  route53(world).zones.remove(zone)
  return dnsReply('DeleteHostedZoneResponse', { ChangeInfo: changeInfo(world, recordChange(world, caller)) })
}

const ownZones = (world: World, { accountId }: Caller) => route53(world).zones.having('account', accountId)

export function findZone(world: World, caller: Caller, id: string): HostedZone {
  const zone = route53(world).zones.get(id)
  if (zone?.account === caller.accountId) return zone
  throw new CloudError('NoSuchHostedZone', `No hosted zone found with ID: ${id}`, 404)
}

const describe = (world: World, zone: HostedZone) => ({
  Id: `/hostedzone/${zone.key}`,
  Name: zone.name,
  CallerReference: zone.callerReference,
  Config: { Comment: zone.comment, PrivateZone: zone.isPrivate },
  ResourceRecordSetCount: route53(world).records.having('zone', zone.key).length,
})

const delegation = ({ nameServers }: HostedZone) => ({ NameServers: { NameServer: nameServers } })
