/** Something that runs until it is told to stop. */
export interface Running {
  /** Resolves where it ends by itself. */
  over?: Promise<void>
  stop(): Promise<void>
}

/** Whoever stops us, a person or a container runtime, has little patience beyond this. */
const stopWithinMs = 5_000

/** One Ctrl-C can arrive twice: from the terminal and handed on by npm. */
const sameKeystrokeMs = 500

/**
 * Starts, runs until SIGINT or SIGTERM, stops and ends the process: in 5 s at the most, beside the `patienceMs` that
 * what runs may take to its end once it has started, and at once on a second signal.
 */
export async function runUntilStopped(start: () => Promise<Running>, { patienceMs = 0 } = {}): Promise<never> {
  let isRunning = false
  const asked = stopSignal(() => (isRunning ? patienceMs : 0) + stopWithinMs)
  const running = await start()
  isRunning = true
  await Promise.race([asked, ...(running.over ? [running.over] : [])])
  await running.stop()
  process.exit(0)
}

/** Resolves at the first signal; from then on the process ends in time, whatever hangs. */
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
