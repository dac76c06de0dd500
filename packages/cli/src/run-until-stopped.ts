/** Something that runs until it is stopped. */
export interface RunningService {
  /** Resolves if it ends by itself. */
  over?: Promise<void>
  stop(): Promise<void>
}

/** Time to stop in milliseconds, about as long as container runtimes wait by default. */
const stopWithinMs = 5_000

/** Interval in milliseconds in which a second signal counts as the same Ctrl-C, forwarded by npm. */
const sameKeystrokeMs = 500

/**
 * Starts, runs until SIGINT or SIGTERM, stops and exits. Takes at most 5 s plus `patienceMs` for work in progress, and
 * ends at once on a second signal.
 */
export async function runUntilStopped(start: () => Promise<RunningService>, { patienceMs = 0 } = {}): Promise<never> {
  let isRunning = false
  const asked = stopSignal(() => (isRunning ? patienceMs : 0) + stopWithinMs)
  const running = await start()
  isRunning = true
  await Promise.race([asked, ...(running.over ? [running.over] : [])])
  await running.stop()
  process.exit(0)
}

/** Resolves at the first signal. From then on the process exits within the timeout, whatever hangs. */
function stopSignal(timeoutMs: () => number): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = () => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        const withinMs = timeoutMs()
        const end = () => giveUp(`not stopped after ${withinMs / 1_000} s; ending anyway`)
        if (Number.isFinite(withinMs)) setTimeout(end, withinMs)
        resolve()
      } else if (performance.now() - firstAt > sameKeystrokeMs) {
        giveUp('ending at once')
      }
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}

function giveUp(why: string): never {
  process.stderr.write(`sluice: ${why}\n`)
  process.exit(1)
}
