import type { Deployment, PipelineRun } from '@sluice/contract'
import { isDeploymentOver, isRunOver, meaningOfRun, pendingPause } from '@sluice/contract/states'
import type { Client } from './client.ts'
import { pause } from './pause.ts'
import { type Retry, retrying } from './retry.ts'

export type WaitOptions<Seen> = {
  /** How long to wait at most. Milliseconds; without it, as long as it takes. */
  timeoutMs?: number
  /** How often to look. Milliseconds. */
  everyMs?: number
  /** Is told of each look. */
  seen?: (now: Seen) => void
  signal?: AbortSignal
  /** How long the service may be away: an upgrade takes less than two minutes. */
  retry?: Retry
}

/** Somebody waited as long as they wanted to, and nothing has failed. */
export class TimeIsUp<Seen> extends Error {
  override readonly name = 'TimeIsUp'
  /** What was seen last. */
  readonly last: Seen

  constructor(last: Seen, timeoutMs: number) {
    super(`It was not over after ${timeoutMs / 1_000} s.`)
    this.last = last
  }
}

/** As live as people read, and cheap for the service. */
const lookEveryMs = 1_000

const awayForMs = 120_000

/**
 * Looks until what it sees is what was waited for; outlives a restart of the service.
 * @throws {TimeIsUp} where that takes longer than `timeoutMs`.
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

/** `over`: it never changes again. `asking`: or it waits for somebody. */
export type Until = 'over' | 'asking'

type Options<Seen> = WaitOptions<Seen> & { until?: Until }

/** Waits for a deployment to end, whichever way, or to pause. */
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

/** Waits for a run of a pipeline to end, whichever way, or to ask for an approval. */
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

/** `waitFor` tries again itself. */
const asWished = ({ signal }: { signal?: AbortSignal }) => ({ retry: false as const, ...(signal && { signal }) })
