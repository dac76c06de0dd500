import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'
import type { AnyPgColumn, SQL } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import type { ApprovalQuestion, Approvals } from './approval-rules/load.ts'
import type { GateName, LoadedGate, Moment, Subject } from './evaluate.ts'
import type { Subject as PolicySubject } from './policies/evaluate.ts'

/** Rules of an organization. Each type is read once, regardless of the number of evaluated subjects. */
export type Rules = {
  tx: Db
  organizationId: string
  once<T>(key: string, read: () => Promise<T>): Promise<T>
}

export type PolicyQuestion = {
  guards: PolicyGuards
  isRollback: boolean
  /** Earlier policy decisions, because approvals that they required stay required. */
  before: readonly PolicyVerdict[]
  /** Returns the variables of expressions; called only if a policy applies. */
  variables: () => Promise<PolicySubject>
  /** Returns the approvals for policies that newly require them; if absent, they are requested later. */
  approvals?: (verdicts: readonly PolicyVerdict[]) => Promise<Approvals>
}

/** Subject, and the functions with which gates load more data about it. */
export type GateQuestion = Subject & {
  approval?: ApprovalQuestion
  policy?: PolicyQuestion
}

/** Findings of gates about a subject, to be stored with it. */
export type Findings = { approvals?: Approvals; verdicts?: PolicyVerdict[] }

/** Type of rule that can block a subject. */
export type Gate = {
  name: GateName
  moments: readonly Moment[]
  /** Returns a subquery: whether the organization has such rules for a moment. Most have none. */
  exists(organizationId: AnyPgColumn, moment: Moment): SQL<boolean>
  load(rules: Rules, question: GateQuestion, now: Date): Promise<{ loaded: LoadedGate; findings?: Findings }>
}
