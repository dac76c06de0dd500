import type { PolicyDryRun } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import type { Scope } from '../scope.ts'
import type { Subject } from './evaluate.ts'

/** Something that was done, as a policy sees it, and what it is called in an answer. */
export type Past = {
  of: Omit<PolicyDryRun['stopped'][number], 'createdAt' | 'verdict' | 'reason'>
  createdAt: Date
  subject: Subject
}

/** The latest that was done in a place, the newest first. */
export type LookBack = (
  db: Db,
  organizationId: string,
  wish: { place: Scope; rollbacks: boolean; count: number },
) => Promise<Past[]>
