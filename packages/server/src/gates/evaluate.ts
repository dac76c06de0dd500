import type {
  ErrorDetail,
  FreezableOperation,
  PolicyVerdict,
  PromotionCandidate,
  UserFacingError,
} from '@sluice/contract'
import type { Scope } from './scope.ts'

/** When gates are evaluated about a subject. */
export type Moment =
  /** A deployment is requested, which may be queued. */
  | 'REQUEST'
  /** The turn of a queued deployment has come. */
  | 'START'
  /** Someone asks to continue a paused deployment. */
  | 'CONTINUE'
  /** A paused deployment continues without anyone's decision. */
  | 'CONTINUE_AUTOMATICALLY'
  /** The turn of a queued pipeline run has come. */
  | 'RUN'
  /** A pipeline step is due to start. */
  | 'STEP'
  /** A pipeline step that changes infrastructure is dispatched. */
  | 'APPLY'
  /** A step takes the plan that it applies. */
  | 'TAKE_PLAN'
  /** A version of a pipeline is stored. */
  | 'VERSION'

export type GateName = PromotionCandidate['gates'][number]['kind'] | 'POLICY'

/** Change that gates evaluate, at a moment. */
export type Subject = {
  moment: Moment
  /** Name of the action in freezes and holds; absent for steps and versions that change nothing themselves. */
  action?: FreezableOperation
  scope: Scope
  /** Whether a newer deployment waits for the same instance. */
  hasNewerQueued?: boolean
}

/** Why a gate blocks a subject: for users, and for the audit log. */
export type Reason = {
  gate: GateName
  message: string
  description?: string
  details?: ErrorDetail[]
  metadata?: NonNullable<UserFacingError['metadata']>
}

/**
 * Decision about a subject with the reason; `until` is the time of the next evaluation, or undefined to wait for a
 * change.
 */
export type GateDecision =
  | { decision: 'proceed' }
  | ({ decision: 'wait'; until: Date | undefined; waitingFor: string } & Reason)
  | ({ decision: 'requireApproval'; until: Date | undefined; warnings?: readonly Warning[] } & Reason)
  | ({ decision: 'deny'; key: 'frozen' | 'stoppedByPolicy'; stops: readonly PolicyVerdict[] } & Reason)
  /** `error` is the reason for the end; without it, a newer deployment supersedes this one. */
  | ({ decision: 'cancel'; error?: UserFacingError; stops?: readonly PolicyVerdict[] } & Reason)

export type Blocker = Exclude<GateDecision, { decision: 'proceed' }>

/** What rules in the mode `WARN` would have blocked, and the record that the audit log entry refers to. */
export type Warning = { rules: string; resourceType: string; resourceId: string; details: Record<string, unknown> }

/** Gate with the data that it decides on. */
export type LoadedGate = {
  /** Returns why a subject may not proceed, or undefined if it may. */
  blocker(subject: Subject, now: Date): Blocker | undefined
  warnings(subject: Subject, now: Date): Warning[]
}

/** Reason why a record waits, while a freeze blocks it. */
export const endOfFreeze = 'the end of a freeze'

/** Decision about a subject and, if it proceeds, the warnings of gates. */
export type Evaluation = { decision: GateDecision; warnings: readonly Warning[] }

/**
 * Decides about a subject by the gates that were loaded for it. The order of evaluation is that of the list: hold,
 * freeze, approval rule, policy. The first gate that does not let the subject proceed decides:
 *
 * - A hold is indefinite, so nothing else is worth asking. The subject waits.
 * - A freeze has an end. The subject waits, is denied if it cannot wait, or is cancelled if a newer one is to start.
 * - Approvals expire, so they are requested only when nothing else blocks. Expired ones cancel the subject.
 * - Policies may depend on the time, so they count when the subject could proceed. They deny a request, cancel what
 *   was queued, or require more approvals.
 */
export function evaluate(gates: readonly LoadedGate[], subject: Subject, now: Date): Evaluation {
  const [blocker] = blockers(gates, subject, now)
  if (!blocker)
    return { decision: { decision: 'proceed' }, warnings: gates.flatMap((one) => one.warnings(subject, now)) }
  return { decision: blocker, warnings: blocker.decision === 'requireApproval' ? (blocker.warnings ?? []) : [] }
}

/** Returns everything that blocks a subject, in the order of evaluation. */
export const blockers = (gates: readonly LoadedGate[], subject: Subject, now: Date): Blocker[] =>
  gates.flatMap((one) => one.blocker(subject, now) ?? [])
