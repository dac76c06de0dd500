import { ExpressionError } from './errors.ts'
import { evaluateIn } from './evaluate.ts'
import { IssueCollector, itemPath, memberPath } from './faults.ts'
import { EvaluationState } from './run.ts'
import { hasTemplate, type Template, templateOf } from './template.ts'
import { type Expression, maxDepth } from './tree.ts'
import { isObject, type Json, kindOf, textOf } from './values.ts'

/** Prefix of keys whose object is spread into the parent. */
const spreadMark = '...'
const lowestSpread = '...defaults'

/**
 * Renders every template in `value` with the variables in `roots`. A text that is exactly one template becomes the
 * typed value of its expression. A template inside other text becomes text. Keys and list items that start with `...`
 * are spread. All other values are copied. `path` is the path of `value` in faults.
 * @throws {ExpressionError} with all faults
 */
export const render = (value: unknown, roots: Json, path = ''): unknown =>
  renderWith(new EvaluationState(), value, roots, path)

/** Variables with sensitive members, and the paths where templates can read these. */
export type SensitiveRoots = {
  /** A getter of a sensitive member calls `reads` with its name before it returns the value. */
  rootsWith: (reads: (name: string) => void) => Json
  /** Reports whether the template at this path may read sensitive members. */
  mayRead: (path: string) => boolean
}

/**
 * Renders like `render`. `derived` contains the values computed from sensitive members, which must also be kept secret.
 * @throws {ExpressionError} also if a template reads a sensitive member without permission
 */
export function renderSensitive(
  value: unknown,
  { rootsWith, mayRead }: SensitiveRoots,
  path = '',
): { value: unknown; derived: unknown[] } {
  const run = new EvaluationState()
  let isOver = false // the result may contain sensitive members, which were recorded when they were rendered
  const roots = rootsWith((name) => {
    if (isOver) return
    if (!mayRead(run.place)) run.fail(`${name} is sensitive, and users can see this text`)
    run.isSensitive = true
  })
  const rendered = renderWith(run, value, roots, path)
  isOver = true
  return { value: rendered, derived: run.derived }
}

function renderWith(run: EvaluationState, value: unknown, roots: Json, path: string): unknown {
  const faults = new IssueCollector()
  const rendered = renderValue(value, path, 0)
  if (faults.found.length > 0) throw new ExpressionError(faults.found)
  return rendered

  function renderValue(node: unknown, at: string, depth: number): unknown {
    if (typeof node === 'string') return hasTemplate(node) ? renderTemplate(node, at) : node
    if (typeof node !== 'object' || node === null) return node
    if (depth === maxDepth) {
      faults.add(at, `this is nested deeper than ${maxDepth} levels`)
      return null
    }
    return Array.isArray(node) ? renderList(node, at, depth) : renderObject(node as Json, at, depth)
  }

  function renderTemplate(text: string, at: string): unknown {
    run.place = at
    return faults.guard(at, text, () => valueOfTemplate(run, templateOf(text), roots)) ?? null
  }

  function renderList(list: unknown[], at: string, depth: number): unknown[] {
    return list.flatMap((item, index) => {
      const place = itemPath(at, index)
      if (typeof item !== 'string' || !hasTemplate(item)) return [renderValue(item, place, depth + 1)]
      run.place = place
      return faults.guard(place, item, () => elementsOf(templateOf(item))) ?? [null]
    })
  }

  /** Returns the elements for a list item: its value, or the elements of `...<< list >>`. */
  function elementsOf(template: Template): unknown[] {
    if (!template.spread) return [valueOfTemplate(run, template, roots)]
    const elements = delivered(run, template.spread, roots)
    if (kindOf(elements) === 'nil') return []
    return Array.isArray(elements) ? elements : run.fail(`... takes a list or nil here, not ${kindOf(elements)}`)
  }

  function renderObject(object: Json, at: string, depth: number): Json {
    const lowest: [string, unknown][] = []
    const plain: [string, unknown][] = []
    const highest: [string, unknown][] = []
    for (const [key, member] of Object.entries(object)) {
      const place = memberPath(at, key)
      const rendered = renderValue(member, place, depth + 1)
      if (!key.startsWith(spreadMark)) plain.push([key, rendered])
      else (key === lowestSpread ? lowest : highest).push(...spreadEntries(rendered, place))
    }
    return Object.fromEntries([...lowest, ...plain, ...highest])
  }

  function spreadEntries(value: unknown, at: string): [string, unknown][] {
    if (isObject(value)) return Object.entries(value)
    if (kindOf(value) !== 'nil') faults.add(at, `... takes an object or nil here, not ${kindOf(value)}`)
    return []
  }
}

/**
 * Renders `text` to text, even if it is exactly one template. Passes each value through `encode`, such as
 * `encodeURIComponent`.
 * @throws {ExpressionError} with the first fault
 */
export function renderText(text: string, roots: Json, path = '', encode = (piece: string): string => piece): string {
  const faults = new IssueCollector()
  const run = new EvaluationState()
  const rendered = faults.guard(path, text, () => textOfParts(run, templateOf(text), roots, encode))
  if (rendered === undefined) throw new ExpressionError(faults.found)
  return rendered
}

/** Evaluates an expression and records its result if it is sensitive. */
function noted<T>(run: EvaluationState, work: () => T): T {
  run.isSensitive = false
  const value = work()
  if (run.isSensitive) run.derived.push(value)
  return value
}

/** Returns the value of an expression that becomes part of the result. */
const delivered = (run: EvaluationState, expression: Expression, roots: Json): unknown =>
  noted(run, () => {
    const value = evaluateIn(run, expression, roots)
    run.deliver(value)
    return value
  })

function valueOfTemplate(run: EvaluationState, template: Template, roots: Json): unknown {
  if (template.whole) return delivered(run, template.whole, roots)
  const text = textOfParts(run, template, roots)
  run.deliver(text)
  return text
}

function textOfParts(
  run: EvaluationState,
  { parts }: Template,
  roots: Json,
  encode = (piece: string): string => piece,
): string {
  const pieceOf = (part: string | Expression): string => {
    if (typeof part === 'string') return part
    return encode(noted(run, () => textOf(run, evaluateIn(run, part, roots))))
  }
  const pieces = parts.map(pieceOf)
  run.build(pieces.reduce((sum, piece) => sum + piece.length, 0))
  return pieces.join('')
}
