import { processorMs } from '../../platform/within.ts'

/**
 * Watches how long this thread goes on without looking who else is there, in milliseconds of the processor: so long do
 * all others wait. Of the processor, since the clock also counts what the neighbours on the machine take.
 */
export function watchTurns() {
  let before = processorMs()
  let longest = 0
  const look = () => {
    const now = processorMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  const looking = setInterval(look, 1)
  return {
    /** The longest since the last time that it was asked. */
    take(): number {
      look()
      const taken = longest
      longest = 0
      return taken
    },
    stop: () => clearInterval(looking),
  }
}
