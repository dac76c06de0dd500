import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Deployment,
  failures,
  isRunOver,
  type PipelineRun,
  type PipelineStepExecution,
  type StepLogPage,
} from '@sluice/contract'
import type { PatientAnswer } from '../crash/patient-client.ts'
import { Progress } from '../crash/progress.ts'
import type { Random } from '../crash/random.ts'
import { type Outcome, type Plan, plans, servicesOf } from '../crash/releases.ts'
import { User } from '../crash/user.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import type { StormClient } from './storm-client.ts'

/** Records that exist before the storm: services to release to, one of which the runs of a pipeline release to. */
export type Stage = { projectId: string; token: string; moduleInstanceIds: string[]; releasedByRuns: string }

export async function createStages(world: World, organizations: number): Promise<Stage[]> {
  const stages: Stage[] = []
  for (let index = 0; index < organizations; index += 1) {
    const deploy = { concurrency: { queue_size: 3, queue_overflow: 'oldest' } }
    // Every second organization receives no cloud events, so that only polls detect changes.
    const organization: TestOrganization = await world.organization({ delivery: index % 2 === 0, deploy })
    stages.push({
      projectId: organization.pipelines.projectId,
      token: organization.client.token,
      moduleInstanceIds: await servicesOf(organization),
      releasedByRuns: (await organization.service()).moduleInstanceId,
    })
  }
  return stages
}

/** Accepted run, its final status, and the statuses that are allowed. */
export type RunOutcome = {
  ended: PipelineRun
  steps: PipelineStepExecution[]
  isRight: boolean
  expected: string
}

/** Observations of the users. `begunRuns` are the runs that the service confirmed. */
export type Observations = { outcomes: Outcome[]; runs: RunOutcome[]; begunRuns: string[]; faults: string[] }

/** Log lines that the programs of a run write exactly once. */
export const expectedLogLines = { build: 'built', check: 'checked' } as const

const planList: [Plan, ...Plan[]] = [plans.threeAtOnce, plans.failing, plans.changingMind, plans.back]

/** Maximum pause of a user between two actions, in milliseconds. Faster users would only measure the machine. */
const mostThoughtMs = 2_000

/** Simulates a user who releases to each service by random plans and runs a pipeline. */
export async function use(
  stage: Stage,
  client: StormClient,
  random: Random,
  signal: AbortSignal,
): Promise<Observations> {
  const told: Observations = { outcomes: [], runs: [], begunRuns: [], faults: [] }
  // One generator per activity, so that choices do not depend on the progress of others.
  const user = new User(client, random.fork(), mostThoughtMs)
  const randomOfRuns = random.fork()
  const inTurn = async (work: () => Promise<void>) => {
    while (!signal.aborted) await work().catch((fault) => told.faults.push(String(fault.stack ?? fault)))
  }
  const release = (moduleInstanceId: string) => {
    const own = random.fork()
    return inTurn(async () => {
      told.outcomes.push(...(await own.pick(planList)(user, moduleInstanceId, own)))
    })
  }
  const pipelineId = await createPipeline(client, stage)
  const runPipeline = inTurn(async () => {
    const { id } = await client.done<PipelineRun>('POST', '/pipeline-runs', { data: { pipelineId } })
    told.begunRuns.push(id)
    told.runs.push(await followRun(client, id, randomOfRuns.fork()))
  })
  await Promise.all([...stage.moduleInstanceIds.map(release), runPipeline])
  return told
}

async function createPipeline(client: StormClient, stage: Stage): Promise<string> {
  const says = (text: string) => ({ shell: `sleep 0.3; echo ${text}` })
  const release = { module_instance_id: stage.releasedByRuns, inputs: { image_ref: 'shop/app:5' } }
  return newPipeline(client, stage.projectId, 'release', [
    { id: 'build', type: 'command', with: says(expectedLogLines.build) },
    { id: 'gate', type: 'approval' },
    { id: 'release', type: 'deploy', with: release },
    { id: 'check', type: 'command', with: says(expectedLogLines.check) },
  ])
}

/** Creates a pipeline with a version of these steps and returns its ID. */
export async function newPipeline(client: StormClient, projectId: string, givenId: string, steps: object[]) {
  const data = { projectId, givenId, name: givenId }
  const { id } = await client.done<{ id: string }>('POST', '/pipelines', { data })
  await client.done('POST', '/pipeline-versions', { data: { pipelineId: id, config: { steps } } })
  return id
}

/** Approves, rejects or cancels a run and waits for its end. */
async function followRun(client: StormClient, id: string, random: Random): Promise<RunOutcome> {
  const wish = random.pick<Wish>(['approve', 'approve', 'approve', 'reject', 'cancel'])
  const patienceMs = random.between(0, 4_000)
  const begunAt = performance.now()
  let decided: PatientAnswer | undefined
  const progress = new Progress(`the end of ${id}`)
  for (;;) {
    const run = await client.done<PipelineRun>('GET', `/pipeline-runs/${id}`)
    if (isRunOver(run.status)) return outcomeOf(run, await stepsOfRun(client, id), wish, decided)
    progress.observe(run)
    const isTimeToCancel = wish === 'cancel' && performance.now() - begunAt > patienceMs
    if (decided === undefined && isTimeToCancel) {
      decided = (await client.ask('POST', `/pipeline-runs/${id}/cancel`)) as PatientAnswer
    }
    if (decided === undefined && wish !== 'cancel' && run.status === 'PENDING_APPROVAL') {
      const gate = (await stepsOfRun(client, id)).find(({ stepId }) => stepId === 'gate')
      const path = `/pipeline-step-executions/${gate?.id}/${wish}`
      const body = wish === 'reject' ? { data: { comment: 'not today' } } : undefined
      if (gate?.status === 'PENDING_APPROVAL') decided = (await client.ask('POST', path, body)) as PatientAnswer
    }
    await sleep(random.between(mostThoughtMs / 5, mostThoughtMs)) // the speed of a person
  }
}

const ends = { approve: 'SUCCESS', reject: 'ERROR', cancel: 'CANCELLED' } as const
type Wish = keyof typeof ends

function outcomeOf(
  ended: PipelineRun,
  steps: PipelineStepExecution[],
  wish: Wish,
  decided: PatientAnswer | undefined,
): RunOutcome {
  // A cancel may come too late, and a request without a response may have been executed.
  const isTooLate = wish === 'cancel' && (decided === undefined || decided.status === 422) && ended.status !== 'ERROR'
  const isRight = isTooLate || (ended.status === ends[wish] && (decided?.status === 200 || decided?.wasHeard === true))
  const expected = `${ends[wish]} after ${wish} was answered ${decided?.status}`
  return { ended, steps, isRight: isRight || isLost(steps), expected }
}

/** Reports whether a step ended without a known result, because its runner was away for longer than its lease. */
export const isLost = (steps: PipelineStepExecution[]): boolean =>
  steps.some(({ error }) => error?.code === failures.runnerLost.code)

const stepsOfRun = async (client: StormClient, runId: string): Promise<PipelineStepExecution[]> =>
  client.done('GET', `/pipeline-step-executions?pipelineRunId=${runId}&limit=100`)

/** Returns all runs or deployments of a list. */
export async function listAll<Resource extends PipelineRun | Deployment>(client: StormClient, path: string) {
  const found: Resource[] = []
  for (let cursor = ''; ; ) {
    const { body } = await client.ask('GET', `${path}?limit=100${cursor}`)
    const { data, meta } = body as { data: Resource[]; meta: { nextCursor: string } }
    found.push(...data)
    if (meta.nextCursor === '') return found
    cursor = `&cursor=${encodeURIComponent(meta.nextCursor)}`
  }
}

/** Returns the complete log of a step. */
export async function logOf(client: StormClient, stepId: string): Promise<string> {
  const { body } = await client.ask('GET', `/pipeline-step-executions/${stepId}/logs?limit=100`)
  return (body as StepLogPage).data.map(({ text }) => text).join('')
}
