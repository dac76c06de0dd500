import { processorMs } from '../../platform/within.ts'

/**
 * Measures the longest time for which this thread blocks its event loop, in milliseconds of processor time. Wall-clock
 * time would include other processes.
 */
export function measureBlocking() {
  let before = processorMs()
  let longest = 0
  const look = () => {
    const now = processorMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  const looking = setInterval(look, 1)
  return {
    /** Returns the longest time since the last call. */
    take(): number {
      look()
      const taken = longest
      longest = 0
      return taken
    },
    stop: () => clearInterval(looking),
  }
}
