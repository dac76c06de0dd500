import { expect } from 'vitest'
import { recordAnswer, recordAttempt, retryLater } from '../execution/attempts.ts'
import { cancelledBy } from '../execution/failures.ts'
import { canTransition, isFinal } from '../execution/machine.ts'
import type { ContinueRequest } from '../execution/pauses.ts'
import { type DeploymentState, later, type PollPace } from '../execution/state.ts'
import type { Bookkeeping, CloudAction, TypeDefinition } from './deployment-type.ts'

export const pace: PollPace = { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 }

/**
 * Model of a deployment's row and a clock. The test of each type adds its cloud, and a worker that may crash at any
 * point.
 */
export class ModelWorld<S extends DeploymentState, A extends CloudAction> {
  readonly kind: TypeDefinition<S, A>
  now = new Date('2026-11-20T10:00:00.000Z')
  row: S

  constructor(kind: TypeDefinition<S, A>, release: S['release']) {
    this.kind = kind
    this.row = pending(kind, release, this.now)
  }

  /** Saves the row, if the transition is legal for any deployment. */
  save(next: S): void {
    const { row } = this
    expect(canTransition(row.status, next.status), `${row.status} → ${next.status}`).toBe(true)
    if (isFinal(row.status)) expect(next).toEqual(row)
    const isWaiting = next.wakeAt !== null && next.deadlineAt !== null && next.waitingFor !== null
    expect(isWaiting, `${next.status} waits with a wake-up, a deadline and a reason`).toBe(!isFinal(next.status))
    this.row = next
  }

  /** Returns the worker's next action in the cloud, and records the attempt if it changes the cloud. */
  nextInCloud(): A | undefined {
    const action: A | Bookkeeping = this.kind.nextAction(this.row, this.now)
    if (action.do === 'rest') return undefined
    if (action.do === 'expire') {
      this.save(this.kind.onDeadline(this.row, this.now))
      return undefined
    }
    if (this.kind.changesCloud(action as A)) this.save(recordAttempt(this.row, this.now))
    return action as A
  }

  /** Answers the next action with a transient error. */
  trouble(): void {
    const before = this.row
    const action = this.nextInCloud()
    if (!action) return
    const row = this.kind.changesCloud(action) ? recordAnswer(this.row, before) : this.row
    this.save(retryLater(row, 'throttled', pace, this.now))
  }

  start(): void {
    if (this.row.status === 'PENDING') this.save(this.kind.start(this.row, this.now))
  }

  cancel(): void {
    const next = this.kind.cancel(this.row, this.now, cancelledBy('ada@example.com'))
    if (next) this.save(next)
  }

  pass(ms: number): void {
    this.now = later(this.now, ms)
  }

  /** Advances the time to the next wake-up. */
  passToWakeUp(): void {
    const { wakeAt } = this.row
    if (wakeAt && wakeAt > this.now) this.pass(wakeAt.getTime() - this.now.getTime())
  }
}

/** Returns a user's request to continue a pause. */
export const createContinueRequest = (hookId?: string): ContinueRequest => ({ hookId, by: 'ann' })

function pending<S extends DeploymentState>(
  kind: Pick<TypeDefinition<S>, 'begin'>,
  release: S['release'],
  now: Date,
): S {
  const { resourceName: _, ...begun } = kind.begin(release, { id: 'dep_1', channel: 'API', triggeredBy: 'ann' })
  const deployment: DeploymentState = {
    id: 'dep_1',
    release,
    status: 'PENDING',
    startedAt: null,
    completedAt: null,
    error: null,
    externalDeploymentId: null,
    resourceArn: null,
    wakeAt: later(now, 5_000),
    deadlineAt: later(now, 86_400_000),
    waitingFor: 'its turn',
    ...begun,
  }
  return deployment as S
}
