import { within } from '../../../../platform/within.ts'
import { isPlain, linear } from './linear.ts'

/** Texts in each of which a pattern is to be found. */
export type Question = { pattern: string; texts: string[] }

/** Of each text whether it is found; null where there was no time left to tell. */
export type Answer = (boolean | null)[]

/** Answers beside the main thread, so that a pattern that backtracks without end keeps nobody waiting. */
export function work(questions: Question[], budgetMs: number): Answer[] {
  const answers = questions.map(({ texts }): Answer => texts.map(() => null))
  // What is answered stays, also where the rest is given up.
  within(budgetMs, () => {
    for (const [index, { pattern, texts }] of questions.entries()) {
      const answer = answers[index]
      const isFoundIn = finder(pattern)
      if (!answer || !isFoundIn) continue
      for (const [at, text] of texts.entries()) answer[at] = isFoundIn(text)
    }
  })
  return answers
}

/** Undefined for what is no pattern. */
function finder(pattern: string): ((text: string) => boolean) | undefined {
  try {
    const expression = new RegExp(pattern)
    const quick = linear(pattern)?.compiled()
    return (text) => (quick && isPlain(text) ? quick.test(text) : expression.test(text))
  } catch {
    return undefined // told where it was published
  }
}
