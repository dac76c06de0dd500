import { type Demand, outcomeOf, type Rule } from '../../../gates/approval-rules/machine.ts'
import { allApprovalRules } from '../../../gates/approval-rules/store.ts'
import { recordApprovalWarnings } from '../../../gates/warnings.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { PipelineRunRow } from '../../pipelines/tables.ts'
import { askedOfStep } from '../../step-approvals/asked.ts'
import type { Step } from '../attempt.ts'
import type { Ruling } from './approval.ts'

/** The approval rules of an organization, asked about the steps of a run that ask for a decision. */
export class Rulings {
  readonly #tx: Db
  readonly #run: PipelineRunRow
  readonly #now: Date
  readonly #demands = new Map<string, readonly Demand[]>()
  #rules: readonly Rule[] | undefined

  constructor(tx: Db, run: PipelineRunRow, now: Date) {
    this.#tx = tx
    this.#run = run
    this.#now = now
  }

  async ask(step: Step): Promise<Ruling> {
    this.#rules ??= await allApprovalRules(this.#tx, step.organizationId)
    const asked = await askedOfStep(this.#tx, step, this.#rules, { now: this.#now, askedAt: this.#now })
    const demands = asked?.demands ?? []
    this.#demands.set(step.id, demands)
    const result = outcomeOf(demands, this.#now)
    if (result.outcome !== 'waits') return 'free'
    const untilMs = result.until?.getTime() ?? Number.POSITIVE_INFINITY
    return { withinSeconds: (untilMs - this.#now.getTime()) / 1000 }
  }

  /** A step about which nobody was asked: what only warns is known by what it would have asked for. */
  async recordWarnings({ id, organizationId }: Step): Promise<void> {
    const of = { pipelineRunId: this.#run.id, stepExecutionId: id }
    await recordApprovalWarnings(this.#tx, organizationId, this.#demands.get(id) ?? [], of)
  }
}
