/** Error in a template: its path and the reason. */
export type TemplateIssue = { path: string; message: string }

/** Error with all faults in the templates of a value. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly faults: TemplateIssue[]
  constructor(faults: TemplateIssue[]) {
    super(faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'))
    this.faults = faults
  }
}

/** Error at an offset of the current text. A caller that knows the text's path converts it to a fault. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/**
 * Runs `work` on `text` at `path`.
 * @throws {ExpressionError} for a problem, with line, column and a caret below the position
 */
export function withErrorPosition<T>(path: string, text: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new ExpressionError([{ path, message: pointOut(text, error) }])
  }
}

/** Characters of a line to show on either side of the caret. Templates can have 18,000 characters in one line. */
const maxContextLength = 60

/** Returns the message with line and column, counted from 1, and the line with a caret below the position. */
export function pointOut(text: string, { message, at }: Problem): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  const line = text.slice(0, start).split('\n').length
  const from = Math.max(start, at - maxContextLength)
  const to = Math.min(end === -1 ? text.length : end, at + maxContextLength)
  const shown = text.slice(from, to).replaceAll('\t', ' ').trimEnd()
  return `${message} (line ${line}, column ${at - start + 1})\n  ${shown}\n  ${' '.repeat(at - from)}^`
}
