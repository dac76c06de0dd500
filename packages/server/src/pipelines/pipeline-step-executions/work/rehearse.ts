import { failures, hasRehearsalPassed } from '@sluice/contract'
import { createRehearsal } from '../../../delivery/rehearsals/create.ts'
import type { RequestedScenario } from '../../../delivery/rehearsals/job.ts'
import { countUnfinishedRehearsals, findRehearsal } from '../../../delivery/rehearsals/store.ts'
import type { RehearsalRow } from '../../../delivery/rehearsals/tables.ts'
import { toRehearsal } from '../../../delivery/rehearsals/wake.ts'
import { runAsAuthor } from '../../../identity/audit-events/author.ts'
import { present } from '../../../platform/present.ts'
import type { StepWith } from '../../pipeline-versions/config/schema.ts'
import { saveProgress } from '../store.ts'
import { releaseTarget } from './deploy.ts'
import { type Attempt, cancelled, failed, rendered, type StepWork, type WorkParts, type WorkResult } from './work.ts'

/** Rehearses a release. The step fails unless the release would succeed. */
export const rehearse: StepWork = async (parts, attempt) => {
  if (attempt.step.cancelRequestedAt) return cancelled // the rehearsal may end, which changes nothing
  const rehearsalId = rehearsalOf(attempt.step)
  return rehearsalId === undefined ? begin(parts, attempt) : follow(parts, attempt, rehearsalId)
}

function rehearsalOf({ progress }: Attempt['step']): string | undefined {
  return typeof progress.rehearsalId === 'string' ? progress.rehearsalId : undefined
}

/**
 * Creates the rehearsal and stores its id in one transaction, so that neither a crash nor two concurrent calls create a
 * second one.
 */
async function begin({ db, clock, maxRehearsals }: WorkParts, attempt: Attempt): Promise<WorkResult> {
  const { step, run } = attempt
  const { given, shown } = rendered('rehearse', attempt)
  const target = await releaseTarget(db, attempt, given)
  if ('error' in target) return failed(target.error)
  const { organizationId } = step
  if (
    maxRehearsals !== undefined &&
    (await countUnfinishedRehearsals(db, organizationId, maxRehearsals)) >= maxRehearsals
  )
    return { waitingFor: 'other rehearsals of the organization' }
  const scenarios = given.scenarios && [...new Set(['NO_FAULT' as const, ...given.scenarios.map(toRequested)])]
  const requestedBy = { stepExecutionId: step.id, pipelineRunId: run.id }
  const rehearsalId = await db.transaction(async (tx) => {
    const held = await saveProgress(tx, step, { moduleInstanceId: target.moduleInstanceId, inputData: shown })
    if (!held) return undefined
    const begun = rehearsalOf(held)
    if (begun !== undefined) return begun
    const { id } = await createRehearsal(tx, runAsAuthor(run), { ...target, scenarios, requestedBy }, clock())
    await saveProgress(tx, step, { progress: { rehearsalId: id }, statusDetail: { rehearsalId: id } })
    return id
  })
  return { waitingFor: 'its rehearsal', messages: rehearsalId === undefined ? [] : [toRehearsal(rehearsalId)] }
}

async function follow({ db }: WorkParts, { step }: Attempt, rehearsalId: string): Promise<WorkResult> {
  const rehearsal = await findRehearsal(db, step.organizationId, rehearsalId)
  if (!rehearsal) {
    return failed({ code: failures.targetMissing.code, message: `The rehearsal ${rehearsalId} was deleted.` })
  }
  if (rehearsal.completedAt === null) return { waitingFor: 'its rehearsal' }
  if (rehearsal.error) return failed({ ...rehearsal.error, metadata: { rehearsalId } })
  if (hasRehearsalPassed(rehearsal)) return { outcome: { status: 'SUCCESS', output: outputOf(rehearsal) } }
  return failed({
    code: failures.rehearsalNotPassed.code,
    message: notPassed(rehearsal),
    metadata: { rehearsalId },
  })
}

type GivenScenario = NonNullable<StepWith<'rehearse'>['scenarios']>[number]

/** Converts a scenario of a step to one of a request. */
const toRequested = (scenario: GivenScenario): RequestedScenario =>
  typeof scenario === 'string'
    ? scenario
    : {
        name: scenario.name,
        faults: scenario.faults.map(({ type, traffic_percent: trafficPercent, after_seconds: afterSeconds }) =>
          present({ type, trafficPercent, afterSeconds }),
        ),
      }

const outputOf = ({ id, scenarios }: RehearsalRow) => ({
  rehearsal_id: id,
  scenarios: scenarios.map(({ name, outcome, verdict, durationSeconds, errorSeconds }) =>
    present({ name, outcome, verdict, duration_seconds: durationSeconds, error_seconds: errorSeconds }),
  ),
})

/** Returns why a rehearsal has not passed: a scenario that did not run, or the end of the release without a fault. */
function notPassed({ id, scenarios }: RehearsalRow): string {
  const broken = scenarios.find(({ status }) => status !== 'SUCCESS')
  if (broken)
    return `The scenario ${broken.name} of the rehearsal ${id} failed: ${broken.error?.message ?? broken.status}`
  const { verdict, error } = scenarios.find(({ name }) => name === 'NO_FAULT') ?? {}
  return `The rehearsal ${id} has not passed: ${verdict} ${error?.message ?? ''}`.trim()
}
