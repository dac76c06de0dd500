import { setTimeout as sleep } from 'node:timers/promises'
import { isRunOver, type PipelineRun } from '@sluice/contract'
import { Progress } from '../crash/progress.ts'
import type { Blow } from './blows.ts'
import { newPipeline, type Stage } from './crowd.ts'
import type { StormClient } from './storm-client.ts'

/**
 * Run of one program, measured from before its request until its end was seen, in milliseconds of `performance.now()`.
 */
export type Probe = { id: string; begunAt: number; endedAt: number; status: PipelineRun['status'] }

/** Interval between the starts of probes, in milliseconds. */
const everyMs = 1_500
/** Interval between polls of a run, in milliseconds. */
const lookMs = 300

/** Repeats a short run, which uses every part except the cloud, until the signal. */
export async function probe(stage: Stage, client: StormClient, signal: AbortSignal): Promise<Probe[]> {
  const pipelineId = await newPipeline(client, stage.projectId, 'probe', [
    { id: 'program', type: 'command', with: { shell: 'echo probed' } },
  ])
  const probes: Promise<Probe>[] = []
  while (!signal.aborted) {
    probes.push(runProbe(client, pipelineId))
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
  return Promise.all(probes)
}

async function runProbe(client: StormClient, pipelineId: string): Promise<Probe> {
  const begunAt = performance.now()
  let run = await client.done<PipelineRun>('POST', '/pipeline-runs', { data: { pipelineId } })
  const progress = new Progress(`the end of ${run.id}`)
  while (!isRunOver(run.status)) {
    progress.observe(run)
    await sleep(lookMs)
    run = await client.done<PipelineRun>('GET', `/pipeline-runs/${run.id}`)
  }
  return { id: run.id, begunAt, endedAt: performance.now(), status: run.status }
}

/** Returns the durations of probes that ended before a time, in milliseconds. */
export const tookBefore = (moment: number, probes: Probe[]): number[] =>
  probes.filter(({ endedAt }) => endedAt < moment).map(({ begunAt, endedAt }) => endedAt - begunAt)

/** Returns for each fault the time until a run that started after it had ended, in milliseconds. */
export const recoveries = (blows: Blow[], probes: Probe[]): number[] =>
  blows.flatMap(({ at }) => {
    const ends = probes.filter(({ begunAt }) => begunAt >= at).map(({ endedAt }) => endedAt)
    return ends.length === 0 ? [] : [Math.min(...ends) - at]
  })
