/**
 * Returns a function that prints each step of a start with the elapsed seconds. A first start takes half a minute, on a
 * busy machine several.
 */
export function createStartProgress(
  print: (line: string) => void = console.log,
  nowMs: () => number = () => performance.now(),
): (step: string) => void {
  let startedAtMs: number | undefined
  return (step) => {
    startedAtMs ??= nowMs()
    const seconds = Math.round((nowMs() - startedAtMs) / 1_000)
    print(`${String(seconds).padStart(4)} s  ${step} …`)
  }
}
