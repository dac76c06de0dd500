import { explain } from '@sluice/calls/explain'
import { throwNeitherDeploymentNorRun } from '@sluice/calls/find'
import { pollDeployment, pollRun, type Snapshot } from '@sluice/calls/follow'
import { createFollowRetry } from '@sluice/calls/follow-retry'
import { isMissing } from '@sluice/calls/missing'
import { type Client, TimeIsUp, waitFor } from '@sluice/client'
import { ApprovalRequired, FollowTimeout } from '../../end-with.ts'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { type Printer, printer } from '../print.ts'

/** Options for following: the timeout in seconds, and events that end it early. */
export type Watch = { timeout?: number; untilPaused?: boolean; waitForApproval?: boolean }

/** Follows a deployment or, if the id is not a deployment's, a pipeline run. */
export async function watch(id: string, wishes: UrlOption & OutputOption & Watch): Promise<void> {
  const client = connect(wishes)
  const isDeployment = await client.getDeployment({ params: { id } }).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
  if (isDeployment) return watchDeployment(client, id, wishes, printer(wishes))
  await watchRun(client, id, wishes, printer(wishes)).catch((error: unknown) => throwNeitherDeploymentNorRun(id, error))
}

/** Prints the events of a deployment until it ends. */
export const watchDeployment = (client: Client, id: string, wishes: Watch, out: Printer): Promise<void> =>
  follow(wishes, out, pollDeployment(client, id, out))

/** Prints the results and output of a run's steps until it ends. */
export const watchRun = (client: Client, id: string, wishes: Watch, out: Printer): Promise<void> =>
  follow(wishes, out, pollRun(client, id, out))

/**
 * @throws if it fails, {@link FollowTimeout} on timeout, and {@link ApprovalRequired} if it should not wait for
 * approval.
 */
async function follow(
  { timeout, untilPaused = false, waitForApproval = true }: Watch,
  out: Printer,
  look: () => Promise<Snapshot>,
): Promise<void> {
  let status = ''
  const seen = ({ now }: Snapshot) => {
    if (now.status !== status && !out.drawn) out.say(now.status)
    status = now.status
  }
  const isPending = ({ isOver, isPaused, asks }: Snapshot) =>
    isOver || (untilPaused && isPaused) || (!waitForApproval && asks !== undefined)
  const patience = { retry: createFollowRetry(out.say), ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }) }
  const { now, isOver, asks } = await waitFor(look, isPending, { ...patience, seen }).catch((error: unknown) => {
    if (!(error instanceof TimeIsUp)) throw error
    out.record(error.last.now)
    throw new FollowTimeout(
      `${error.last.now.id} is not finished after ${timeout} s. It continues: sluice watch ${error.last.now.id}`,
    )
  })
  out.record(now)
  if (asks !== undefined && !waitForApproval) throw new ApprovalRequired(`${now.id} ${asks}`)
  if (isOver && status !== 'SUCCESS') throw new Error(now.error ? explain(now.error) : `${now.id} ended as ${status}.`)
}
