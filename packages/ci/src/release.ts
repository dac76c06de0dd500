import { removeControlCharacters } from '@sluice/calls/control-characters'
import { explain } from '@sluice/calls/explain'
import { findModuleInstance, findPipeline } from '@sluice/calls/find'
import { pollDeployment, pollRun, type Snapshot } from '@sluice/calls/follow'
import { type Client, TimeIsUp, waitFor } from '@sluice/client'
import { commentOf, type ReleaseNews, updateComment } from './comment.ts'
import type { Host } from './hosts.ts'
import { connect } from './service.ts'
import type { Settings } from './settings.ts'

type Started = {
  id: string
  status: string
  what: string
  path: string
  look: () => Promise<Snapshot>
  cancel(): Promise<unknown>
}

/** Starts a release and waits for its end. Returns whether it succeeded, or true if the job does not wait. */
export async function release(settings: Settings, host: Host, cancelled: AbortSignal): Promise<boolean> {
  const client = connect(settings, host)
  const started = await start(client, settings, host)
  const url = `${settings.url}/${started.path}`
  const newsOf = ({ now, isPaused }: Snapshot): ReleaseNews => ({
    what: started.what,
    id: started.id,
    status: now.status,
    url,
    isPaused,
    ...(now.error && { reason: explain(now.error) }),
  })
  const tell = async (look: Snapshot) => {
    if (settings.comments) await updateComment(host, started.what, commentOf(newsOf(look)))
  }
  const first: Snapshot = { now: started, isOver: false, isPaused: false }
  host.output({ id: started.id, status: started.status, url })
  host.show(`${started.id}: ${started.what}, see ${url}`)
  await tell(first)
  if (!settings.waits) return true

  const last = await follow(started, settings, { host, cancelled, url, tell })
  host.output({ id: started.id, status: last.now.status, url })
  host.summarize(commentOf(newsOf(last)))
  await tell(last)
  if (last.isOver && last.now.status !== 'SUCCESS' && last.now.error) host.show(explain(last.now.error))
  return last.now.status === 'SUCCESS'
}

async function start(client: Client, { target, inputs, description }: Settings, host: Host): Promise<Started> {
  const out = { say: host.show, quote: (text: string) => host.show(removeControlCharacters(text).replace(/\n$/, '')) }
  const what = `${target.kind} ${target.name}`
  if (target.kind === 'instance') {
    const { id: moduleInstanceId } = await findModuleInstance(client, target.name)
    const { data } = await client.createDeployment({ body: { data: { moduleInstanceId, description, inputs } } })
    const { id, status } = data
    const cancel = () => client.cancelDeployment({ params: { id } })
    return { id, status, what, path: `console/deployments/${id}`, look: pollDeployment(client, id, out), cancel }
  }
  const { id: pipelineId } = await findPipeline(client, target.name)
  const { data } = await client.createPipelineRun({ body: { data: { pipelineId, inputs, description } } })
  const { id, status } = data
  const cancel = () => client.cancelPipelineRun({ params: { id } })
  return { id, status, what, path: `console/runs/${id}`, look: pollRun(client, id, out), cancel }
}

type Way = { host: Host; cancelled: AbortSignal; url: string; tell(look: Snapshot): Promise<void> }

/** Polls until the release ends, the timeout is reached or the job is cancelled. Returns the last state. */
async function follow(started: Started, settings: Settings, { host, cancelled, url, tell }: Way): Promise<Snapshot> {
  let last: Snapshot = { now: started, isOver: false, isPaused: false }
  const look = async () => {
    const seen = await started.look()
    const isNew = seen.now.status !== last.now.status
    if (isNew) host.show(seen.now.status)
    if (seen.isPaused && !last.isPaused) host.show(`It waits for a decision: ${url}`)
    if (!seen.isOver && (isNew || seen.isPaused !== last.isPaused)) await tell(seen)
    last = seen
    return seen
  }
  try {
    return await waitFor(look, ({ isOver }) => isOver, { timeoutMs: settings.timeoutMs, signal: cancelled })
  } catch (error) {
    if (error instanceof TimeIsUp) {
      host.show(`It is not finished after ${settings.timeoutMs / 60_000} minutes, and continues: ${url}`)
      return last
    }
    if (!cancelled.aborted) throw error
    if (settings.cancels) {
      await started.cancel()
      host.show(`The job was cancelled, and so is ${started.id}: ${url}`)
    } else host.show(`The job was cancelled. ${started.id} continues: ${url}`)
    return last
  }
}
