import {
  ChangeResourceRecordSetsCommand,
  ListHostedZonesCommand,
  type ListHostedZonesCommandOutput,
  ListResourceRecordSetsCommand,
  type Route53Client,
} from '@aws-sdk/client-route-53'
import { present } from '../../platform/present.ts'
import type { ObservedRecord, ValidationRecord, Zone } from '../facts/certificates.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

/** Maximum number of pages: an account has at most 500 zones by default (quota, read 2026-11), 300 per page. */
const maxPages = 4

/** Lists the public hosted zones of an account. */
export async function listZones(names: Route53Client): Promise<Zone[]> {
  const zones: Zone[] = []
  let marker: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const command = new ListHostedZonesCommand(present({ Marker: marker }))
    const answer: ListHostedZonesCommandOutput = await callCloud(() => names.send(command))
    for (const { Id: id, Name: name, Config } of answer.HostedZones ?? []) {
      if (id && name && !Config?.PrivateZone) zones.push({ id, name })
    }
    marker = answer.NextMarker
    if (!answer.IsTruncated || marker === undefined) break
  }
  return zones
}

/** Reports whether a zone has the record. */
export async function readRecord(
  names: Route53Client,
  zone: Zone,
  { name, type, value }: ValidationRecord,
): Promise<ObservedRecord> {
  const command = new ListResourceRecordSetsCommand({ HostedZoneId: zone.id, StartRecordName: name, MaxItems: 1 })
  const [there] = (await callCloud(() => names.send(command))).ResourceRecordSets ?? []
  if (!there || there.Name !== name.toLowerCase()) return 'none'
  const isSame = there.Type === type && (there.ResourceRecords ?? []).some((one) => one.Value === value)
  return isSame ? 'same' : 'another'
}

/** DNS time to live of the records, in seconds. */
const ttl = 300

/** Creates the missing records, all or none. Never overwrites an existing record. */
export async function createRecords(
  names: Route53Client,
  zone: Zone,
  records: ValidationRecord[],
): Promise<'created' | 'there'> {
  const Changes = records.map(({ name, type, value }) => ({
    Action: 'CREATE' as const,
    ResourceRecordSet: { Name: name, Type: type as 'CNAME', TTL: ttl, ResourceRecords: [{ Value: value }] },
  }))
  const command = new ChangeResourceRecordSetsCommand({ HostedZoneId: zone.id, ChangeBatch: { Changes } })
  try {
    await callCloud(() => names.send(command))
    return 'created'
  } catch (error) {
    const isThere =
      error instanceof CloudPermanentError && error.reason === 'InvalidChangeBatch' && /exists/.test(error.message)
    if (isThere) return 'there'
    throw error
  }
}
