import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'
import type { AnyPgColumn, SQL } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import type { ApprovalQuestion, Approvals } from './approval-rules/load.ts'
import type { GateName, LoadedGate, Moment, Subject } from './evaluate.ts'
import type { Subject as PolicySubject } from './policies/evaluate.ts'

/** The rules of an organization, each read once however many subjects they are evaluated about. */
export type Rules = {
  tx: Db
  organizationId: string
  once<T>(key: string, read: () => Promise<T>): Promise<T>
}

export type PolicyQuestion = {
  guards: PolicyGuards
  isRollback: boolean
  /** What the policies decided before: what they asked of people stays asked. */
  before: readonly PolicyVerdict[]
  /** Returns what expressions read; called only if a policy applies. */
  variables: () => Promise<PolicySubject>
  /** Returns the approvals that policies ask for which did not ask before; without, those are asked for later. */
  approvals?: (verdicts: readonly PolicyVerdict[]) => Promise<Approvals>
}

/** A subject, and where the gates find what they need to know about it. */
export type Question = Subject & {
  approval?: ApprovalQuestion
  policy?: PolicyQuestion
}

/** What gates found about a subject, to be stored with it. */
export type Findings = { approvals?: Approvals; verdicts?: PolicyVerdict[] }

/** A kind of rule that can block a subject. */
export type Gate = {
  name: GateName
  moments: readonly Moment[]
  /** In a query over something else: whether its organization has such rules for a moment. Most have none. */
  exists(organizationId: AnyPgColumn, moment: Moment): SQL<boolean>
  load(rules: Rules, question: Question, now: Date): Promise<{ loaded: LoadedGate; findings?: Findings }>
}
