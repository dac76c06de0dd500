import type { Evaluation } from '../../../gates/evaluate.ts'
import type { Rules } from '../../../gates/gate.ts'
import { evaluateGates, gateRules } from '../../../gates/load.ts'
import type { Scope } from '../../../gates/scope.ts'
import { recordWarnings } from '../../../gates/warnings.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Message } from '../../../platform/engine/messages.ts'
import { present } from '../../../platform/present.ts'
import type { PipelineRunRow } from '../../pipelines/tables.ts'
import { evaluateStep } from '../../step-approvals/required.ts'
import type { Step } from '../attempt.ts'
import { wakeGatedByRules } from '../store.ts'
import { toRun } from '../wake.ts'
import type { ApprovalRuleResult } from './approval.ts'
import { scopeOfStep } from './approval-targets.ts'
import type { Clearance } from './freezes.ts'

/** Makes the runs with steps that a freeze or an approval rule may block due now. Returns their messages. */
export const wakeGatedRuns = async (tx: Db, organizationId: string, now: Date): Promise<Message[]> =>
  (await wakeGatedByRules(tx, organizationId, now)).map((id) => toRun(id))

/** Release gates of an organization, evaluated for the steps of a run. */
export class StepGates {
  readonly #rules: Rules
  readonly #run: PipelineRunRow
  readonly #now: Date
  readonly #found = new Map<string, Pick<Evaluation, 'warnings'> & { scope: Scope }>()

  constructor(tx: Db, run: PipelineRunRow, now: Date) {
    this.#rules = gateRules(tx, run.organizationId)
    this.#run = run
    this.#now = now
  }

  /** Returns whether a step may change infrastructure now. */
  async clearanceOf(step: Step): Promise<Clearance> {
    const scope = await scopeOfStep(this.#rules.tx, this.#run, step)
    const found = await evaluateGates(this.#rules, { moment: 'APPLY', action: 'APPLIES', scope }, this.#now)
    this.#found.set(`APPLY ${step.id}`, { ...found, scope })
    return found.decision.decision === 'wait' ? found.decision : { decision: 'proceed' }
  }

  /** Returns whether a step requires approvals, and how long it waits for them. */
  async rulingOn(step: Step): Promise<ApprovalRuleResult> {
    const found = await evaluateStep(this.#rules, step, { now: this.#now, askedAt: this.#now })
    this.#found.set(`STEP ${step.id}`, { ...found, scope: {} })
    if (found.decision.decision !== 'requireApproval') return 'free'
    const untilMs = found.decision.until?.getTime() ?? Number.POSITIVE_INFINITY
    return { withinSeconds: (untilMs - this.#now.getTime()) / 1000 }
  }

  /** Records the rules that would have blocked a step if they did more than warn. */
  async recordWarnings({ id, organizationId, pipelineRunId }: Step, moment: 'STEP' | 'APPLY'): Promise<void> {
    const { warnings = [], scope = {} } = this.#found.get(`${moment} ${id}`) ?? {}
    const moduleInstanceId = scope.moduleInstanceId ?? undefined
    const records = present({ pipelineRunId, stepExecutionId: id, moduleInstanceId })
    await recordWarnings(this.#rules.tx, organizationId, warnings, records)
  }
}
