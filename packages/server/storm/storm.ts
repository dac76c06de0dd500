import { operatorAccount } from '@sluice/cloud-sim'
import type { Deployment, PipelineRun } from '@sluice/contract'
import type { Cluster, ClusterOptions } from '../cluster/cluster.ts'
import { startCluster } from '../cluster/cluster.ts'
import { expectEachEffectOnce } from '../crash/effects.ts'
import { Random } from '../crash/random.ts'
import { eventually } from '../src/testing/eventually.ts'
import { type Blow, injectFaults } from './blows.ts'
import {
  createStages,
  expectedLogLines,
  isLost,
  listAll,
  logOf,
  type Observations,
  type RunOutcome,
  type Stage,
  use,
} from './crowd.ts'
import { type Probe, probe, recoveries, tookBefore } from './probes.ts'
import { StormClient, type Wait } from './storm-client.ts'

export type StormOptions = {
  minutes: number
  seed: number
  /** Number of organizations. Each releases to four of its five services without a break. */
  organizations: number
} & Pick<ClusterOptions<unknown>, 'directory'>

/** Cloud seconds per second. */
const speed = 600
/** Time after the storm in which everything must end, in milliseconds. */
const mostAfterMs = 120_000

/** Results of a storm, with a line for each violation. */
export type StormResult = {
  deployments: number
  runs: number
  probes: number
  lostRunners: number
  /** Number of engine snapshots in the cloud's storage. */
  snapshots: number
  blows: Blow[]
  waits: Wait[]
  /** Durations of probes before the first fault and after each fault, in milliseconds. */
  undisturbed: number[]
  recoveries: number[]
  violations: string[]
}

/** Lets users work on a cluster with constant faults. Checks their observations against the cloud's log. */
export async function storm({ minutes, seed, organizations, directory }: StormOptions): Promise<StormResult> {
  const cluster = await startCluster({ directory, speed, people: (world) => createStages(world, organizations + 1) })
  try {
    return await weather(cluster, { minutes, seed })
  } finally {
    await cluster.stop()
  }
}

async function weather(cluster: Cluster<Stage[]>, { minutes, seed }: Pick<StormOptions, 'minutes' | 'seed'>) {
  const [probed, ...stages] = cluster.people
  if (!probed) throw new Error('there is nobody to probe')
  const waits: Wait[] = []
  const clientOf = ({ token }: Stage) => new StormClient(cluster.apiUrl, token, waits)
  const isOver = AbortSignal.timeout(minutes * 60_000)
  const crowd = stages.map((stage, index) => use(stage, clientOf(stage), new Random(seed + index + 1), isOver))
  const probing = probe(probed, clientOf(probed), isOver)
  const blows = await injectFaults(cluster, seed, isOver)
  for (const { name, isReady } of cluster.parts) await eventually(`${name} to be ready`, isReady, Boolean)
  const ended = await Promise.race([Promise.all([Promise.all(crowd), probing]), patience()])
  if (ended === undefined) throw new Error(`something has not ended ${mostAfterMs} ms after the storm`)
  const [told, probes] = ended

  const violations = [...cluster.ownEnds().map((end) => `fell over: ${end}`)]
  const all: Deployment[] = []
  for (const [index, stage] of stages.entries()) {
    const one = told[index]
    if (!one) continue
    const client = clientOf(stage)
    const deployments = await listAll<Deployment>(client, '/deployments')
    all.push(...deployments)
    violations.push(...one.faults, ...wrongDeployments(one, deployments))
    violations.push(...wrongRuns(one, await listAll<PipelineRun>(client, '/pipeline-runs'), deployments))
    violations.push(...(await repeatedPrograms(client, one.runs)))
  }
  violations.push(...wrongProbes(probes, await listAll<PipelineRun>(clientOf(probed), '/pipeline-runs')))
  await expectEachEffectOnce(cluster.cloud, all).catch((error: Error) => violations.push(error.message))
  const runs = told.flatMap((one) => one.runs)
  return {
    deployments: all.length,
    runs: runs.length,
    probes: probes.length,
    lostRunners: runs.filter(({ steps }) => isLost(steps)).length,
    snapshots: await snapshotsIn(cluster),
    blows,
    waits,
    undisturbed: tookBefore(blows[0]?.at ?? 0, probes),
    recoveries: recoveries(blows, probes),
    violations,
  }
}

/** Counts snapshots. Each ends with a record of the newest one. */
async function snapshotsIn({ cloud }: Cluster<unknown>): Promise<number> {
  const puts = await cloud.calls({ operation: 'PutObject', accepted: true, account: operatorAccount, limit: 100_000 })
  return puts.filter(({ request }) => /latest[.]json/.test(JSON.stringify(request))).length
}

const patience = () => new Promise<undefined>((resolve) => setTimeout(resolve, mostAfterMs, undefined).unref())

/**
 * Returns violations: each accepted deployment must exist once, with an allowed status that did not change after its
 * end.
 */
function wrongDeployments({ outcomes, runs }: Observations, there: Deployment[]): string[] {
  const byId = new Map(there.map((one) => [one.id, one]))
  const ofRuns = new Set(runs.map(({ ended }) => ended.id))
  const wrong = outcomes.filter(({ isRight }) => !isRight)
  const known = new Set(outcomes.map(({ ended }) => ended.id))
  return [
    ...wrong.map(({ ended, expected }) => `${ended.id} is ${ended.status} (${ended.error?.code}), not ${expected}`),
    ...outcomes.flatMap(({ ended }) => {
      const now = byId.get(ended.id)
      if (!now) return [`lost: ${ended.id}`]
      return JSON.stringify(now) === JSON.stringify(ended) ? [] : [`changed after its end: ${ended.id}`]
    }),
    ...there
      .filter(({ id, pipelineRunId }) => !known.has(id) && !(pipelineRunId && ofRuns.has(pipelineRunId)))
      .map(({ id }) => `nobody asked for ${id}`),
  ]
}

/** Returns violations of runs. Each run that released must have one deployment. */
function wrongRuns({ runs, begunRuns }: Observations, there: PipelineRun[], deployments: Deployment[]): string[] {
  const byId = new Map(there.map((one) => [one.id, one]))
  const begun = new Set(begunRuns)
  return [
    ...runs
      .filter(({ isRight }) => !isRight)
      .map(({ ended, expected }) => `${ended.id} is ${ended.status} (${ended.error?.code}), not ${expected}`),
    ...begunRuns.filter((id) => !byId.has(id)).map((id) => `lost: ${id}`),
    ...there.filter(({ id }) => !begun.has(id)).map(({ id }) => `nobody asked for ${id}`),
    ...runs.flatMap(({ ended }) =>
      JSON.stringify(byId.get(ended.id)) === JSON.stringify(ended) ? [] : [`changed after its end: ${ended.id}`],
    ),
    ...runs.flatMap(({ ended }) => {
      const released = deployments.filter(({ pipelineRunId }) => pipelineRunId === ended.id).length
      if (released > 1) return [`${ended.id} released ${released} times`]
      return ended.status === 'SUCCESS' && released === 0 ? [`${ended.id} succeeded without its release`] : []
    }),
  ]
}

/**
 * Returns programs whose successful step wrote its line more than once, also after it was assigned to another runner.
 */
async function repeatedPrograms(client: StormClient, runs: RunOutcome[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { steps } of runs) {
    for (const { id, stepId, status, attemptEpoch } of steps) {
      const line = stepId === 'build' || stepId === 'check' ? expectedLogLines[stepId] : undefined
      if (line === undefined || status !== 'SUCCESS') continue
      const times = (await logOf(client, id)).split('\n').filter((one) => one === line).length
      if (times !== 1) wrong.push(`${id}: ${times} times "${line}" in ${attemptEpoch} attempts`)
    }
  }
  return wrong
}

function wrongProbes(probes: Probe[], there: PipelineRun[]): string[] {
  const byId = new Map(there.map((one) => [one.id, one]))
  return [
    ...probes.flatMap(({ id, status }) => (byId.get(id)?.status === status ? [] : [`changed after its end: ${id}`])),
    ...probes
      .filter(({ status, id }) => status !== 'SUCCESS' && byId.get(id)?.error === undefined)
      .map(({ id, status }) => `${id} is ${status}`),
    ...(there.length === probes.length ? [] : [`${there.length} runs of ${probes.length} that were asked for`]),
  ]
}
