import { withSyncTimeout } from '../within.ts'

/** Counts up to a number, or forever. */
export function work({ to, isGreedy = false }: { to: number | null; isGreedy?: boolean }, budgetMs: number): number {
  const counted = withSyncTimeout(isGreedy ? 60_000 : budgetMs, () => {
    const kept: number[][] = []
    let count = 0
    while (isGreedy || count < (to ?? Number.POSITIVE_INFINITY)) {
      count += 1
      if (isGreedy) kept.push(new Array(1_000_000).fill(count))
    }
    return count
  })
  if ('trouble' in counted) throw new Error(counted.trouble)
  return counted.result
}
