import { type Client, rowsOf, TimeIsUp, waitFor } from '@sluice/client'
import type { DeploymentEvent, PipelineStepExecution, UserFacingError } from '@sluice/contract'
import { isDeploymentOver, isRunOver, meaningOfRun, meaningOfStep, pendingPause } from '@sluice/contract/states'
import { NotOver } from '../end-with.ts'
import { connect, isMissing, once, type Where, watching } from './connect.ts'
import { explain } from './explain.ts'
import { ofNeither } from './find.ts'
import { harmless, type Printer, printer, type Style } from './print.ts'

/** For how long, in seconds, and for what. */
export type Watch = { timeout?: number; untilPaused?: boolean }

type Watched = { id: string; status: string; error?: UserFacingError }

/** Follows a deployment or, if there is none of that id, a run of a pipeline. */
export async function watch(id: string, wishes: Where & Style & Watch): Promise<void> {
  const client = connect(wishes)
  const isDeployment = await client.getDeployment({ params: { id } }).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
  if (isDeployment) return watchDeployment(client, id, wishes, printer(wishes))
  await watchRun(client, id, wishes, printer(wishes)).catch((error: unknown) => ofNeither(id, error))
}

/** Says each event of a deployment until it is over. */
export function watchDeployment(client: Client, id: string, wishes: Watch, out: Printer): Promise<void> {
  let told = 0
  return follow(wishes, out, async () => {
    const { data: now } = await client.getDeployment({ params: { id } }, once)
    const events = now.data?.events ?? []
    for (const event of events.slice(told)) out.say(lineOf(event))
    told = events.length
    return { now, isOver: isDeploymentOver(now.status), isPaused: pendingPause(now) !== undefined }
  })
}

/** Says what the steps of a run come to and quotes what they write, until the run is over. */
export function watchRun(client: Client, id: string, wishes: Watch, out: Printer): Promise<void> {
  const steps = new Map<string, { status: string; cursor: Place }>()
  return follow(wishes, out, async () => {
    // The run first: once it is over, so are its steps, and what is read of them after it is all there is.
    const { data: now } = await client.getPipelineRun({ params: { id } }, once)
    for (const step of await stepsOf(client, id)) {
      const known = steps.get(step.id) ?? { status: 'QUEUED', cursor: '' }
      const cursor = step.startedAt === undefined ? '' : await quoteLog(client, step, known.cursor, out)
      if (known.status !== step.status) out.say(standingOf(step))
      steps.set(step.id, { status: step.status, cursor })
    }
    return { now, isOver: isRunOver(now.status), isPaused: meaningOfRun[now.status] === 'asking' }
  })
}

type Look = { now: Watched; isOver: boolean; isPaused: boolean }

/** @throws when it ends badly, and {@link NotOver} when the time is up. */
async function follow({ timeout, untilPaused = false }: Watch, out: Printer, look: () => Promise<Look>): Promise<void> {
  let status = ''
  const seen = ({ now }: Look) => {
    if (now.status !== status) out.say(now.status)
    status = now.status
  }
  const isAwaited = ({ isOver, isPaused }: Look) => isOver || (untilPaused && isPaused)
  const patience = { retry: watching(out.say), ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }) }
  const { now, isOver } = await waitFor(look, isAwaited, { ...patience, seen }).catch((error: unknown) => {
    if (!(error instanceof TimeIsUp)) throw error
    out.record(error.last.now)
    throw new NotOver(
      `${error.last.now.id} is not over after ${timeout} s. It goes on: sluice watch ${error.last.now.id}`,
    )
  })
  out.record(now)
  if (isOver && status !== 'SUCCESS') throw new Error(now.error ? explain(now.error) : `${now.id} ended as ${status}.`)
}

/** Where reading a log goes on: at its beginning, after a cursor, nowhere. */
type Place = string | undefined

/** A tenant decides how long its runs are; a page holds 100 steps at most. */
async function stepsOf(client: Client, pipelineRunId: string): Promise<PipelineStepExecution[]> {
  const steps = await Array.fromAsync(rowsOf(client, 'listPipelineStepExecutions', { query: { pipelineRunId } }, once))
  return steps.reverse() // lists are newest first
}

/** Quotes what a step wrote since `from`. Returns where to go on; undefined where nothing follows. */
async function quoteLog(client: Client, step: PipelineStepExecution, from: Place, out: Printer): Promise<Place> {
  for (let cursor = from; cursor !== undefined; ) {
    const query = { limit: 100, ...(cursor && { cursor }) }
    const { data, meta } = await client.getPipelineStepExecutionLogs({ params: { id: step.id }, query }, once)
    for (const { text } of data) out.quote(text.replaceAll(/^(?=.)/gm, `${step.stepId} | `))
    cursor = meta.isComplete ? undefined : meta.nextCursor
    if (data.length < meta.limit) return cursor
  }
}

/** `11:10:33  2/10 REGISTER_RELEASE  Registered web:2.` */
const lineOf = ({ startedAt, currentStep, totalSteps, stepCode, message = '' }: DeploymentEvent): string => {
  const progress = `${currentStep}/${totalSteps}`.padStart(5)
  return harmless(`${startedAt.slice(11, 19)} ${progress} ${stepCode.padEnd(24)} ${message}`.trimEnd())
}

const standingOf = ({ id, stepId, status, statusDetail, error }: PipelineStepExecution): string => {
  const approval = statusDetail?.approval as { message?: string } | undefined
  const asks = meaningOfStep[status] === 'asking' ? ` ${approval?.message ?? ''} sluice approve ${id}` : ''
  return harmless(`${stepId}: ${status}${asks}${error ? ` ${explain(error)}` : ''}`)
}
