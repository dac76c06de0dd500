import { costOf } from '../processor-time.ts'
import { flags } from '../report.ts'

/** What one that takes part has taken for all of its runs in one round. */
export type Measured = {
  wallMs: number
  /** Of all processes, its share of the database server's among them. */
  processorMs: number
}

export type Wishes = { steps: number; abreast: number }

/** One that takes part: carries out so many runs, which begin at once, and returns when all have ended. */
export type Peer = AsyncDisposable & { runAll(runs: number): Promise<void> }

/**
 * One round, in this process of its own: starts the peer, lets it carry out `warm` runs, measures it with `runs`, and
 * tells the process that compares.
 */
export async function measure(start: (wishes: Wishes) => Promise<Peer>): Promise<void> {
  const { runs, warm, ...wishes } = flags({ runs: 50, steps: 20, warm: 5, abreast: 50 })
  await using peer = await start(wishes)
  await peer.runAll(warm)
  let wallMs = 0
  const times = await costOf(async () => {
    const from = performance.now()
    await peer.runAll(runs)
    wallMs = performance.now() - from
  })
  const processorMs = Object.values(times).reduce((sum, ms) => sum + ms, 0)
  process.send?.({ wallMs, processorMs } satisfies Measured)
}
