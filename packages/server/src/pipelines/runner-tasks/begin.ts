import type { Logger } from 'pino'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import type { Engine } from '../../platform/engine/client.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { newId } from '../../platform/ids.ts'
import { isForRunners } from '../pipeline-runs/machine.ts'
import { stepConfigs } from '../pipeline-versions/config/schema.ts'
import { leaseSteps } from '../runner/claim.ts'
import { type CloudEnvironmentKey, environmentsWithReadySteps, insertTask, stepsAreReady } from './store.ts'
import type { TaskTokens } from './tokens.ts'
import { toRunnerTask } from './wake.ts'

export type BeginParts = { db: Db; taskTokens: TaskTokens; clock: () => Date }

/** Step types for which a task can be started. */
const programTypes = Object.keys(stepConfigs).filter(isForRunners)

/**
 * Maximum time in milliseconds until a task has started and its runner has requested its attempt. Images are large, and
 * the cloud may lack capacity.
 */
export const startWithinMs = 10 * 60_000
/**
 * Lease of the attempt until then, in milliseconds. It is longer, because the handler of the task reports more
 * precisely what happened.
 */
const leaseMs = startWithinMs + 2 * 60_000
/** Maximum number of tasks per round and environment, so that other environments get their turn. */
const maxTasksPerRound = 20

/** Periodic task that starts cloud tasks for waiting steps. */
export const taskStarter = ({ engine, log, ...parts }: BeginParts & { engine: Engine; log: Logger }): Sweep => ({
  what: 'tasks that steps wait for',
  due: stepsAreReady,
  sweep: async () => notifyEngine({ engine, log }, await beginTasks(parts)),
})

/** Starts the attempts of steps that wait for a cloud task, each leased for the future runner of its task. */
export async function beginTasks(parts: BeginParts): Promise<Message[]> {
  const ids: string[] = []
  for (const environment of await environmentsWithReadySteps(parts.db)) {
    for (let begun = 0; begun < maxTasksPerRound; begun += 1) {
      const id = await beginTask(parts, environment)
      if (id === undefined) break
      ids.push(id)
    }
  }
  return ids.map((id) => toRunnerTask(id))
}

/** Creates an attempt and its task in one transaction. Returns undefined if no step is ready. */
function beginTask({ db, taskTokens, clock }: BeginParts, environment: CloudEnvironmentKey) {
  return db.transaction(async (tx) => {
    const now = clock()
    const leaseUntil = new Date(now.getTime() + leaseMs)
    const claimant = { runnerId: newId('rnr'), scope: environment, stepTypes: programTypes, leaseUntil, now }
    const [step] = await leaseSteps(tx, claimant, 1)
    if (!step) return undefined
    const id = newId('tsk')
    await insertTask(tx, {
      id,
      createdAt: now,
      ...environment,
      stepExecutionId: step.id,
      attemptEpoch: step.attemptEpoch,
      tokenHash: hashOf(taskTokens.launch(id)),
      deadlineAt: new Date(now.getTime() + startWithinMs),
      wakeAt: now,
    })
    return id
  })
}
