import { type Client, type ReplyOf, rowsOf } from '@sluice/client'
import type { Deployment, DeploymentEvent, PipelineRun, PipelineStepExecution, UserFacingError } from '@sluice/contract'
import { isDeploymentOver, isRunOver, meaningOfRun, meaningOfStep, pendingPause } from '@sluice/contract/states'
import { removeControlCharacters } from './control-characters.ts'
import { explain } from './explain.ts'

/** Output for the progress of a deployment or run. */
export type ProgressOutput = {
  say(line: string): void
  /** Prints foreign text, such as step output. */
  quote(text: string): void
  /** Redraws the whole state at each poll, instead of printing events. */
  drawn?: {
    deployment(now: Deployment): void
    /** Draws a run with its steps in order. */
    run(now: PipelineRun, steps: readonly PipelineStepExecution[]): void
  }
}

/** State of a deployment or run at one poll. */
export type Snapshot = {
  now: { id: string; status: string; error?: UserFacingError }
  isOver: boolean
  /** Whether it is paused or waits for approval. Analyses may be about to end a pause. */
  isPaused: boolean
  /** What it waits for and how to give it, if it needs a person to continue. */
  asks?: string
}

/** Disables retries, because following retries by itself. */
const once = { retry: false } as const

/** Returns a function that polls a deployment and prints its new events. */
export function pollDeployment(client: Client, id: string, out: ProgressOutput): () => Promise<Snapshot> {
  let printedEvents = 0
  return async () => {
    const query = { include: ['analysis' as const, 'approval' as const] }
    const { data: now, included } = await client.getDeployment({ params: { id }, query }, once)
    const events = now.data?.events ?? []
    if (out.drawn) out.drawn.deployment(now)
    else for (const event of events.slice(printedEvents)) out.say(lineOf(event))
    printedEvents = events.length
    const asks = pendingDecision(now, included)
    const isPaused = pendingPause(now) !== undefined || asks !== undefined
    return { now, isOver: isDeploymentOver(now.status), isPaused, ...(asks && { asks }) }
  }
}

/** Returns what a deployment waits for and how to give it; undefined if it continues without a person. */
export function pendingDecision(
  now: Deployment,
  { analysis = [], approval }: ReplyOf<'getDeployment'>['included'] = {},
) {
  // Before `requestedAt`, something else also blocks the deployment.
  if (approval?.isPending && approval.requestedAt !== undefined) return `waits for approval: sluice approve ${now.id}`
  const pause = pendingPause(now)
  const isChecked = analysis.some(({ hookId, outcome }) => hookId === pause?.hookId && outcome === 'RUNNING')
  return pause && !isChecked ? `is paused: sluice continue ${now.id}` : undefined
}

/** Returns a function that polls a run and prints new results and output of its steps. */
export function pollRun(client: Client, id: string, out: ProgressOutput): () => Promise<Snapshot> {
  const steps = new Map<string, { status: string; cursor: Place }>()
  return async () => {
    // Reads the run first: if it has ended, the steps read afterwards are final.
    const { data: now } = await client.getPipelineRun({ params: { id } }, once)
    const seen = await stepsOf(client, id)
    for (const step of seen) {
      const known = steps.get(step.id) ?? { status: 'QUEUED', cursor: '' }
      const cursor = step.startedAt === undefined ? '' : await quoteLog(client, step, known.cursor, out)
      if (known.status !== step.status && !out.drawn) out.say(statusLineOf(step))
      steps.set(step.id, { status: step.status, cursor })
    }
    out.drawn?.run(now, seen)
    const isPaused = meaningOfRun[now.status] === 'asking'
    const asking = seen.filter(({ status }) => meaningOfStep[status] === 'asking')
    const asks = `waits for approval: ${asking.map((step) => `sluice approve ${step.id}`).join(', ')}`
    return { now, isOver: isRunOver(now.status), isPaused, ...(isPaused && asking.length > 0 && { asks }) }
  }
}

/** Position from which to continue reading a log: the start, a cursor, or none. */
type Place = string | undefined

/** Returns all steps of a run. A page holds at most 100, and runs can have more. */
async function stepsOf(client: Client, pipelineRunId: string): Promise<PipelineStepExecution[]> {
  const steps = await Array.fromAsync(rowsOf(client, 'listPipelineStepExecutions', { query: { pipelineRunId } }, once))
  return steps.reverse() // lists are newest first
}

/** Prints a step's output from a position. Returns the next position, or undefined at the end. */
async function quoteLog(client: Client, step: PipelineStepExecution, from: Place, out: ProgressOutput): Promise<Place> {
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
  return removeControlCharacters(`${startedAt.slice(11, 19)} ${progress} ${stepCode.padEnd(24)} ${message}`.trimEnd())
}

const statusLineOf = ({ id, stepId, status, statusDetail, error }: PipelineStepExecution): string => {
  const approval = statusDetail?.approval as { message?: string } | undefined
  const asks = meaningOfStep[status] === 'asking' ? ` ${approval?.message ?? ''} sluice approve ${id}` : ''
  return removeControlCharacters(`${stepId}: ${status}${asks}${error ? ` ${explain(error)}` : ''}`)
}
