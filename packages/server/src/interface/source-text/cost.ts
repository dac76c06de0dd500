import type { Work } from '../../platform/aside/aside.ts'
import { processorMs, within } from '../../platform/within.ts'
import { SourceText } from './document.ts'

/** How long it takes to read a text of YAML: milliseconds of the processor. To be asked for aside: it may be long. */
export const work: Work<{ text: string }, { ms: number } | { trouble: string }> = ({ text }, budgetMs) => {
  const before = processorMs()
  const read = within(budgetMs, () => {
    for (const source of SourceText.allOf(text)) source.read()
  })
  return 'trouble' in read ? read : { ms: processorMs() - before }
}
