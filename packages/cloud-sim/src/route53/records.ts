import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { child, children, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { dnsReply, pageSize } from './answers.ts'
import { applyChangeBatch, type Batch } from './batch.ts'
import { changeInfo, recordChange } from './changes.ts'
import { reversed, writtenName } from './names.ts'
import { sortedRecords } from './record-sets.ts'
import { type RecordSet, route53 } from './state.ts'
import { findZone } from './zones.ts'

/** Cloud milliseconds in which a zone accepts no second batch, if rate limits are enabled. */
const betweenBatchesMs = 1000

/** Applies all changes of a batch, or none. */
export function changeResourceRecordSets(
  world: World,
  caller: Caller,
  { Id, ChangeResourceRecordSetsRequest: asked }: { Id: string; ChangeResourceRecordSetsRequest?: Xml },
) {
  const zone = findZone(world, caller, Id)
  const now = world.clock.now()
  if (world.weather.limitsRates && now - (zone.changedAt ?? Number.NEGATIVE_INFINITY) < betweenBatchesMs) {
    const message = 'The request was rejected because Route 53 was still processing a prior request.'
    throw new CloudError('PriorRequestNotComplete', message)
  }
  const given = child(asked, 'ChangeBatch')
  const there = route53(world).records.having('zone', zone.key)
  const batch: Batch = { zone, changes: children(child(given, 'Changes'), 'Change'), there }
  const { records, broken } = applyChangeBatch(batch)
  if (broken.length > 0) throw new CloudError('InvalidChangeBatch', `[${broken.join(', ')}]`)
  const change = recordChange(world, caller, childText(given, 'Comment'))
  const { records: table } = route53(world)
  for (const record of there) if (!records.has(record.key)) table.remove(record)
  for (const [key, config] of records) {
    const before = there.find((record) => record.key === key)
    if (before && JSON.stringify(before.config) === JSON.stringify(config)) continue
    const name = childText(config, 'Name') ?? ''
    const type = childText(config, 'Type') ?? ''
    table.save({ key, zone: zone.key, name, type, config, inSyncAt: change.inSyncAt })
  }
  route53(world).zones.save(Object.assign(zone, { changedAt: now }))
  return dnsReply('ChangeResourceRecordSetsResponse', { ChangeInfo: changeInfo(world, change) })
}

interface Listing {
  Id: string
  name?: string
  type?: string
  identifier?: string
  maxitems?: string
}

export function listResourceRecordSets(
  world: World,
  caller: Caller,
  { Id, name, type, identifier, maxitems }: Listing,
) {
  const zone = findZone(world, caller, Id)
  const placeOf = (at: string, kind: string, set: string) => `${reversed(writtenName(at))}\0${kind}\0${set}`
  const place = (record: RecordSet) =>
    placeOf(record.name, record.type, childText(record.config, 'SetIdentifier') ?? '')
  const first = name === undefined ? '' : placeOf(name, type ?? '', identifier ?? '')
  const found = sortedRecords(world, zone.key).filter((record) => place(record) >= first)
  const size = pageSize(maxitems)
  const next = found[size]
  return dnsReply('ListResourceRecordSetsResponse', {
    ResourceRecordSets: { ResourceRecordSet: found.slice(0, size).map(({ config }) => config) },
    IsTruncated: next !== undefined,
    NextRecordName: next?.name,
    NextRecordType: next?.type,
    NextRecordIdentifier: next && childText(next.config, 'SetIdentifier'),
    MaxItems: size,
  })
}
