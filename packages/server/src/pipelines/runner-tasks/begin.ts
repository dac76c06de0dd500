import type { Logger } from 'pino'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import type { Engine } from '../../platform/engine/client.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { tellEngine } from '../../platform/engine/tell.ts'
import { newId } from '../../platform/ids.ts'
import { isForRunners } from '../pipeline-runs/machine.ts'
import { stepConfigs } from '../pipeline-versions/config/schema.ts'
import { claimSteps } from '../runner/claim.ts'
import { type CloudEnvironmentKey, environmentsWithReadySteps, insertTask, stepsAreReady } from './store.ts'
import type { TaskTokens } from './tokens.ts'
import { toRunnerTask } from './wake.ts'

export type BeginParts = { db: Db; taskTokens: TaskTokens; clock: () => Date }

/** What a task may be started for. */
const programTypes = Object.keys(stepConfigs).filter(isForRunners)

/** How long a task may take to be started and its runner to come: images are large, clouds full. Milliseconds. */
export const startWithinMs = 10 * 60_000
/** Beyond that the attempt is not taken for lost: whoever follows the task says better what happened. Milliseconds. */
const leaseMs = startWithinMs + 2 * 60_000
/** More than these begin in the next round: other environments have their turn. */
const mostAtOnce = 20

/** Begins the tasks that steps wait for. */
export const beginning = ({ engine, log, ...parts }: BeginParts & { engine: Engine; log: Logger }): Sweep => ({
  what: 'tasks that steps wait for',
  due: stepsAreReady,
  sweep: async () => tellEngine({ engine, log }, await beginTasks(parts)),
})

/** Begins the attempts of steps that wait for a task in the cloud: each is claimed for a runner that is to come. */
export async function beginTasks(parts: BeginParts): Promise<Message[]> {
  const ids: string[] = []
  for (const environment of await environmentsWithReadySteps(parts.db)) {
    for (let begun = 0; begun < mostAtOnce; begun += 1) {
      const id = await beginTask(parts, environment)
      if (id === undefined) break
      ids.push(id)
    }
  }
  return ids.map((id) => toRunnerTask(id))
}

/** The attempt and its task are one transaction: a crash leaves both or neither. Undefined where no step is ready. */
function beginTask({ db, taskTokens, clock }: BeginParts, environment: CloudEnvironmentKey) {
  return db.transaction(async (tx) => {
    const now = clock()
    const leaseUntil = new Date(now.getTime() + leaseMs)
    const claimant = { runnerId: newId('rnr'), scope: environment, stepTypes: programTypes, leaseUntil, now }
    const [step] = await claimSteps(tx, claimant, 1)
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
