import type { Row } from '../store.ts'
import type { XmlElement } from '../wire/xml.ts'
import { defineState } from '../world.ts'

/** Hosted zone. Key: its id, without `/hostedzone/`. */
export interface HostedZone extends Row {
  account: string
  /** Fully qualified, with a trailing dot. */
  name: string
  callerReference: string
  comment?: string | undefined
  isPrivate: boolean
  nameServers: string[]
  tags: Record<string, string>
  /** Cloud time of the last batch of changes. */
  changedAt?: number
}

/** DNS record set. Key: zone, name, type and set identifier. */
export interface RecordSet extends Row {
  zone: string
  name: string
  type: string
  /** Configuration as received, without its name. */
  config: XmlElement
  /** Cloud time from which name servers return it. */
  inSyncAt: number
}

/** Batch of record changes. Key: its id, without `/change/`. */
export interface Change extends Row {
  account: string
  comment?: string | undefined
  submittedAt: number
  inSyncAt: number
}

/** Tables of the simulated Route 53. */
export const route53 = defineState((world) => ({
  zones: world.table<HostedZone>('hosted-zone', { account: (row) => row.account }),
  records: world.table<RecordSet>('record-set', { zone: (row) => row.zone }),
  changes: world.table<Change>('record-change'),
}))
