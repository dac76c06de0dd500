/** One template that cannot be rendered: where it stands, and why. */
export type Fault = { path: string; message: string }

/** Everything that is wrong with the templates of a value, all at once. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly faults: Fault[]
  constructor(faults: Fault[]) {
    super(faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'))
    this.faults = faults
  }
}

/** What went wrong at an offset of the text in hand. Whoever knows where the text stands makes a fault of it. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/**
 * Runs `work` on `text`, which stands at `path`.
 * @throws {ExpressionError} for a problem, with the line, the column and a caret below the place.
 */
export function inPlace<T>(path: string, text: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new ExpressionError([{ path, message: pointOut(text, error) }])
  }
}

/** Characters of a line that are shown on either side of the caret: templates of 18,000 on one line occur. */
const shownAround = 60

/** The problem's message, its line and column from 1, and the line with a caret below the place. */
export function pointOut(text: string, { message, at }: Problem): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  const line = text.slice(0, start).split('\n').length
  const from = Math.max(start, at - shownAround)
  const to = Math.min(end === -1 ? text.length : end, at + shownAround)
  const shown = text.slice(from, to).replaceAll('\t', ' ').trimEnd()
  return `${message} (line ${line}, column ${at - start + 1})\n  ${shown}\n  ${' '.repeat(at - from)}^`
}
