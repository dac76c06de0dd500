import { type Client, type ReplyOf, rowsOf } from '@sluice/client'
import type { Deployment, DeploymentEvent, PipelineRun, PipelineStepExecution, UserFacingError } from '@sluice/contract'
import { isDeploymentOver, isRunOver, meaningOfRun, meaningOfStep, pendingPause } from '@sluice/contract/states'
import { explain } from './explain.ts'
import { harmless } from './harmless.ts'

/** Where what happens is told. */
export type Told = {
  say(line: string): void
  /** What somebody wrote. */
  quote(text: string): void
  /** Where all of it is drawn anew at each look: it is not said what happened, then. */
  drawn?: {
    deployment(now: Deployment): void
    /** Steps in their order. */
    run(now: PipelineRun, steps: readonly PipelineStepExecution[]): void
  }
}

/** What is seen of a deployment or a run at a time. */
export type Look = {
  now: { id: string; status: string; error?: UserFacingError }
  isOver: boolean
  /** Whether it is at a pause, which checks may be about to end, or asks for approval. */
  isPaused: boolean
  /** What it waits for and how that is given, where nothing but a person has it go on. */
  asks?: string
}

/** Whoever watches tries again itself. */
const once = { retry: false } as const

/** Says each event of a deployment that came since the last look. */
export function lookAtDeployment(client: Client, id: string, out: Told): () => Promise<Look> {
  let told = 0
  return async () => {
    const query = { include: ['analysis' as const, 'approval' as const] }
    const { data: now, included } = await client.getDeployment({ params: { id }, query }, once)
    const events = now.data?.events ?? []
    if (out.drawn) out.drawn.deployment(now)
    else for (const event of events.slice(told)) out.say(lineOf(event))
    told = events.length
    const asks = askedAbout(now, included)
    const isPaused = pendingPause(now) !== undefined || asks !== undefined
    return { now, isOver: isDeploymentOver(now.status), isPaused, ...(asks && { asks }) }
  }
}

/** What a person is asked about a deployment, and how it is given; undefined where it goes on without one. */
export function askedAbout(now: Deployment, { analysis = [], approval }: ReplyOf<'getDeployment'>['included'] = {}) {
  // Before `requestedAt` something else keeps it waiting, too.
  if (approval?.isPending && approval.requestedAt !== undefined) return `waits for approval: sluice approve ${now.id}`
  const pause = pendingPause(now)
  const isChecked = analysis.some(({ hookId, outcome }) => hookId === pause?.hookId && outcome === 'RUNNING')
  return pause && !isChecked ? `is paused: sluice continue ${now.id}` : undefined
}

/** Says what the steps of a run came to, and quotes what they wrote, since the last look. */
export function lookAtRun(client: Client, id: string, out: Told): () => Promise<Look> {
  const steps = new Map<string, { status: string; cursor: Place }>()
  return async () => {
    // The run first: once it is over, so are its steps, and what is read of them after it is all there is.
    const { data: now } = await client.getPipelineRun({ params: { id } }, once)
    const seen = await stepsOf(client, id)
    for (const step of seen) {
      const known = steps.get(step.id) ?? { status: 'QUEUED', cursor: '' }
      const cursor = step.startedAt === undefined ? '' : await quoteLog(client, step, known.cursor, out)
      if (known.status !== step.status && !out.drawn) out.say(standingOf(step))
      steps.set(step.id, { status: step.status, cursor })
    }
    out.drawn?.run(now, seen)
    const isPaused = meaningOfRun[now.status] === 'asking'
    const asking = seen.filter(({ status }) => meaningOfStep[status] === 'asking')
    const asks = `waits for approval: ${asking.map((step) => `sluice approve ${step.id}`).join(', ')}`
    return { now, isOver: isRunOver(now.status), isPaused, ...(isPaused && asking.length > 0 && { asks }) }
  }
}

/** Where reading a log goes on: at its beginning, after a cursor, nowhere. */
type Place = string | undefined

/** A tenant decides how long its runs are; a page holds 100 steps at most. */
async function stepsOf(client: Client, pipelineRunId: string): Promise<PipelineStepExecution[]> {
  const steps = await Array.fromAsync(rowsOf(client, 'listPipelineStepExecutions', { query: { pipelineRunId } }, once))
  return steps.reverse() // lists are newest first
}

/** Quotes what a step wrote since `from`. Returns where to go on; undefined where nothing follows. */
async function quoteLog(client: Client, step: PipelineStepExecution, from: Place, out: Told): Promise<Place> {
  for (let cursor = from; cursor !== undefined; ) {
    const query = { limit: 100, ...(cursor && { cursor }) }
    const { data, meta } = await client.getPipelineStepExecutionLogs({ params: { id: step.id }, query }, once)
    for (const { text } of data) out.quote(text.replaceAll(/^(?=.)/gm, `${step.stepId} | `))
    cursor = meta.isComplete ? undefined : meta.nextCursor
    if (data.length < meta.limit) return cursor
  }
}

/** `11:10:33  2/10 REGISTER_RELEASE  Registered web:2.` */
export const lineOf = ({ startedAt, currentStep, totalSteps, stepCode, message = '' }: DeploymentEvent): string => {
  const progress = `${currentStep}/${totalSteps}`.padStart(5)
  return harmless(`${startedAt.slice(11, 19)} ${progress} ${stepCode.padEnd(24)} ${message}`.trimEnd())
}

const standingOf = ({ id, stepId, status, statusDetail, error }: PipelineStepExecution): string => {
  const approval = statusDetail?.approval as { message?: string } | undefined
  const asks = meaningOfStep[status] === 'asking' ? ` ${approval?.message ?? ''} sluice approve ${id}` : ''
  return harmless(`${stepId}: ${status}${asks}${error ? ` ${explain(error)}` : ''}`)
}
