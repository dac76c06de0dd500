import { costOf } from '../cpu-time.ts'
import { flags } from '../report.ts'

/** Cost of all runs of one peer in one round. */
export type Measured = {
  wallMs: number
  /** Processor time of all processes, including the peer's share of the database server's. */
  processorMs: number
}

export type MeasureOptions = { steps: number; abreast: number }

/** Orchestrator to compare: starts this number of runs at once and returns when all have ended. */
export type Peer = AsyncDisposable & { runAll(runs: number): Promise<void> }

/** Runs one round in this process: starts the peer, warms up, measures `runs`, and reports to the comparing process. */
export async function measure(start: (wishes: MeasureOptions) => Promise<Peer>): Promise<void> {
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
