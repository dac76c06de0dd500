import type { Work } from '../../platform/aside/aside.ts'
import { processorMs, withSyncTimeout } from '../../platform/within.ts'
import { SourceText } from './document.ts'

/**
 * Measures the processor time of parsing a YAML text, in milliseconds. Must run in a worker thread, because it may take
 * long.
 */
export const work: Work<{ text: string }, { ms: number } | { trouble: string }> = ({ text }, budgetMs) => {
  const before = processorMs()
  const read = withSyncTimeout(budgetMs, () => {
    for (const source of SourceText.allOf(text)) source.read()
  })
  return 'trouble' in read ? read : { ms: processorMs() - before }
}
