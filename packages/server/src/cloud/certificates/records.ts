import type { CertificateRecord } from '@sluice/contract'
import type { CloudClients } from '../adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../adapter/cloud-call.ts'
import { createRecords, listZones, readRecord } from '../adapter/name-service.ts'
import type { CertificateFacts, ValidationRecord, Zone } from '../facts/certificates.ts'
import { zoneFor } from './machine.ts'
import type { CertificateRow } from './tables.ts'

/** State of a certificate's DNS validation records. */
export type ValidationRecordsState = { records: CertificateRecord[]; problem?: string }

/**
 * Creates missing validation records in the account's zones. Skips records already found, to stay within Route 53's
 * five requests a second, unless a renewal is stuck.
 */
export async function writeRecords(
  { names }: Pick<CloudClients, 'names'>,
  row: Pick<CertificateRow, 'records' | 'writesRecords'>,
  { proofs, status, isRenewalStuck }: CertificateFacts,
): Promise<ValidationRecordsState> {
  const isNeeded = status === 'PENDING_VALIDATION' || isRenewalStuck
  const known = proofs.map((proof) => asBefore(proof, isRenewalStuck ? [] : row.records))
  if (!isNeeded) return { records: known }
  if (!row.writesRecords) return { records: known.map((record) => ({ ...record, status: 'MANUAL' })) }
  const open = known.filter(({ status }) => status !== 'CREATED')
  if (open.length === 0) return { records: known }
  const become = new Map<string, Partial<CertificateRecord>>()
  const withWhatBecame = () => known.map((record) => ({ ...record, ...become.get(record.name) }))
  try {
    const zones = await listZones(names)
    for (const [zone, records] of byZone(zones, open)) {
      if (!zone) for (const { name } of records) become.set(name, { status: 'MANUAL' })
      else
        await writeInZone(names, zone, records, (name, change) => become.set(name, { zoneName: zone.name, ...change }))
    }
    return { records: withWhatBecame() }
  } catch (error) {
    if (error instanceof CloudTransientError) return { records: withWhatBecame(), problem: error.message }
    if (!(error instanceof CloudPermanentError)) throw error
    // People can create the records that the role may not.
    const problem = `The cloud does not let us write it: ${error.reason}: ${error.message}`
    for (const { name } of open) if (!become.has(name)) become.set(name, { status: 'MANUAL', problem })
    return { records: withWhatBecame() }
  }
}

function asBefore(proof: ValidationRecord, records: readonly CertificateRecord[]): CertificateRecord {
  const before = records.find(({ name, value }) => name === proof.name && value === proof.value)
  return { ...before, ...proof, status: before?.status ?? 'PENDING' }
}

function byZone(zones: Zone[], records: CertificateRecord[]): Map<Zone | undefined, CertificateRecord[]> {
  return Map.groupBy(records, ({ name }) => zoneFor(zones, name))
}

type Note = (name: string, change: Partial<CertificateRecord>) => void

async function writeInZone(
  names: CloudClients['names'],
  zone: Zone,
  records: CertificateRecord[],
  note: Note,
): Promise<void> {
  const wanting: CertificateRecord[] = []
  for (const record of records) {
    const seen = await readRecord(names, zone, record)
    if (seen === 'same') note(record.name, { status: 'CREATED' })
    if (seen === 'another') note(record.name, { status: 'MANUAL', problem: another })
    if (seen === 'none') wanting.push(record)
  }
  if (wanting.length === 0) return
  // Another writer created one of the records: the next poll finds it and creates the others.
  if ((await createRecords(names, zone, wanting)) === 'there') return
  for (const { name } of wanting) note(name, { status: 'CREATED' })
}

const another = 'Another record has this name in the zone; it is not written over.'
