import type { PolicyVerdict } from '@sluice/contract'
import type { Author } from '../identity/audit-events/author.ts'
import { recordChange } from '../identity/audit-events/record.ts'
import { wasRecentlyRecorded } from '../identity/audit-events/store.ts'
import type { Db } from '../platform/db/open.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { present } from '../platform/present.ts'
import type { GateDecision } from './evaluate.ts'
import { policyStore } from './policies/store.ts'

/** Ids of the records that a denied request would have changed. */
export type DeniedRecords = { [record: string]: string }

type Denial = Extract<GateDecision, { decision: 'deny' }>

/** Throws the error for the caller if gates deny a request: `of` says which records it would have changed. */
export function rejectIfDenied(decision: GateDecision, of: DeniedRecords): void {
  if (decision.decision !== 'deny') return
  if (decision.key === 'stoppedByPolicy') throw new DeniedByPolicy(decision, of)
  throw new ApiError(decision.key, decision.message, extrasOf(decision))
}

/** Returns the parts of an error besides its message. */
export const extrasOf = ({ description, details, metadata }: Pick<Denial, 'description' | 'details' | 'metadata'>) =>
  present({ description, details, metadata })

/** Thrown if policies deny a request. */
export class DeniedByPolicy extends ApiError {
  readonly stops: readonly PolicyVerdict[]
  readonly of: DeniedRecords

  constructor(denial: Denial, of: DeniedRecords) {
    super('stoppedByPolicy', denial.message, { ...extrasOf(denial), metadata: { ...denial.metadata, ...of } })
    this.stops = denial.stops
    this.of = of
  }
}

/** Runs work that policies may deny. A denial rolls back its transaction and is still recorded. */
export async function recordingDenials<T>(db: Db, author: Author, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DeniedByPolicy) await recordDenials(db, author, error)
    throw error
  }
}

/** Interval in seconds in which repeated denials of the same caller or step are recorded once. */
const onceInSeconds = 60

/** Records a denial in the audit log, once per policy. */
export async function recordDenials(
  db: Db,
  author: Author,
  { stops, of }: Pick<DeniedByPolicy, 'stops' | 'of'>,
): Promise<void> {
  for (const { policyId, name, version, verdict, message } of stops) {
    const same = { version, ...of }
    const details = { name, verdict, message, ...same }
    const change = { action: 'policies.deny', resourceType: 'policy', resourceId: policyId, details }
    await db.transaction(async (tx) => {
      // Serializes concurrent denials: the first one writes, and the others see its entry.
      await policyStore.lock(tx, author.organizationId, policyId)
      if (await wasRecentlyRecorded(tx, author, { ...change, details: same }, onceInSeconds)) return
      await recordChange(tx, author, change)
    })
  }
}
