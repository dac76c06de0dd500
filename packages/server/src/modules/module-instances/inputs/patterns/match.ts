import { withSyncTimeout } from '../../../../platform/within.ts'
import { isPlain, linear } from './linear.ts'

/** Pattern to match against several texts. */
export type PatternTexts = { pattern: string; texts: string[] }

/** Result per text; null if the time ran out first. */
export type PatternResults = (boolean | null)[]

/** Matches patterns in a worker thread, so that catastrophic backtracking blocks no one. */
export function work(questions: PatternTexts[], budgetMs: number): PatternResults[] {
  const answers = questions.map(({ texts }): PatternResults => texts.map(() => null))
  // Results so far are kept if the rest times out.
  withSyncTimeout(budgetMs, () => {
    for (const [index, { pattern, texts }] of questions.entries()) {
      const answer = answers[index]
      const isFoundIn = finder(pattern)
      if (!answer || !isFoundIn) continue
      for (const [at, text] of texts.entries()) answer[at] = isFoundIn(text)
    }
  })
  return answers
}

/** Returns undefined for an invalid pattern. */
function finder(pattern: string): ((text: string) => boolean) | undefined {
  try {
    const expression = new RegExp(pattern)
    const quick = linear(pattern)?.compiled()
    return (text) => (quick && isPlain(text) ? quick.test(text) : expression.test(text))
  } catch {
    return undefined // reported at publication
  }
}
