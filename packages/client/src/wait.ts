import type { Deployment, PipelineRun } from '@sluice/contract'
import { isDeploymentOver, isRunOver, meaningOfRun, pendingPause } from '@sluice/contract/states'
import type { Client } from './client.ts'
import { pause } from './pause.ts'
import { type Retry, retrying } from './retry.ts'

export type WaitOptions<Seen> = {
  /** Maximum wait in milliseconds; unlimited by default. */
  timeoutMs?: number
  /** Poll interval in milliseconds. */
  everyMs?: number
  /** Called after each poll. */
  seen?: (now: Seen) => void
  signal?: AbortSignal
  /** Maximum time for which the service may be unavailable: an upgrade takes less than two minutes. */
  retry?: Retry
}

/** Error for a wait that timed out, although nothing failed. */
export class TimeIsUp<Seen> extends Error {
  override readonly name = 'TimeIsUp'
  /** State at the last poll before the timeout. */
  readonly last: Seen

  constructor(last: Seen, timeoutMs: number) {
    super(`It was not over after ${timeoutMs / 1_000} s.`)
    this.last = last
  }
}

/** Default poll interval in milliseconds. */
const lookEveryMs = 1_000

const awayForMs = 120_000

/**
 * Polls until the state is the expected one, and continues through a restart of the service. @throws {TimeIsUp} after
 * `timeoutMs`
 */
export async function waitFor<Seen>(
  look: () => Promise<Seen>,
  isIt: (now: Seen) => boolean,
  { timeoutMs = Number.POSITIVE_INFINITY, everyMs = lookEveryMs, seen, signal, retry }: WaitOptions<Seen> = {},
): Promise<Seen> {
  const giveUpAt = performance.now() + timeoutMs
  const patience = { ...(retry ?? { forMs: awayForMs }), ...(signal && { signal }) }
  for (;;) {
    const now = await retrying(look, patience)
    seen?.(now)
    if (isIt(now)) return now
    if (performance.now() >= giveUpAt) throw new TimeIsUp(now, timeoutMs)
    await pause(everyMs, signal)
  }
}

/** `over`: until the end. `asking`: or until it waits for a person. */
export type Until = 'over' | 'asking'

type Options<Seen> = WaitOptions<Seen> & { until?: Until }

/** Waits for a deployment to end in any way, or to pause. */
export const waitForDeployment = (
  client: Client,
  id: string,
  { until = 'over', ...options }: Options<Deployment> = {},
): Promise<Deployment> =>
  waitFor(
    async () => (await client.getDeployment({ params: { id } }, asWished(options))).data,
    (now) => isDeploymentOver(now.status) || (until === 'asking' && pendingPause(now) !== undefined),
    options,
  )

/** Waits for a pipeline run to end in any way, or to request an approval. */
export const waitForRun = (
  client: Client,
  id: string,
  { until = 'over', ...options }: Options<PipelineRun> = {},
): Promise<PipelineRun> =>
  waitFor(
    async () => (await client.getPipelineRun({ params: { id } }, asWished(options))).data,
    (now) => isRunOver(now.status) || (until === 'asking' && meaningOfRun[now.status] === 'asking'),
    options,
  )

/** Disables retries of single calls, because `waitFor` retries by itself. */
const asWished = ({ signal }: { signal?: AbortSignal }) => ({ retry: false as const, ...(signal && { signal }) })
