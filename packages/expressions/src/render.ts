import { ExpressionError } from './errors.ts'
import { evaluateIn } from './evaluate.ts'
import { Faults, itemPath, memberPath } from './faults.ts'
import { Run } from './run.ts'
import { hasTemplate, type Template, templateOf } from './template.ts'
import { type Expression, maxDepth } from './tree.ts'
import { isObject, type Json, kindOf, textOf } from './values.ts'

/** Keys that begin so hold an object whose entries are taken over. */
const spreadMark = '...'
const lowestSpread = '...defaults'

/**
 * Renders every template in `value` with `roots` as the names that are known. A text that is one template becomes the
 * typed value of its expression; amid other text, a template becomes text. Keys and list items that begin with `...`
 * are spread. All else is copied. `path` is where `value` stands, for the faults.
 * @throws {ExpressionError} with every fault.
 */
export function render(value: unknown, roots: Json, path = ''): unknown {
  const faults = new Faults()
  const run = new Run()
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
    return faults.guard(at, text, () => valueOfTemplate(run, templateOf(text), roots)) ?? null
  }

  function renderList(list: unknown[], at: string, depth: number): unknown[] {
    return list.flatMap((item, index) => {
      const place = itemPath(at, index)
      if (typeof item !== 'string' || !hasTemplate(item)) return [renderValue(item, place, depth + 1)]
      return faults.guard(place, item, () => elementsOf(templateOf(item))) ?? [null]
    })
  }

  /** What an item of a list stands for: itself, or the elements of `...<< list >>`. */
  function elementsOf(template: Template): unknown[] {
    if (!template.spread) return [valueOfTemplate(run, template, roots)]
    const elements = evaluateIn(run, template.spread, roots)
    run.deliver(elements)
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
 * Renders `text` to text, also if it is one template. Each value goes through `encode`, such as `encodeURIComponent`.
 * @throws {ExpressionError} with the first fault.
 */
export function renderText(text: string, roots: Json, path = '', encode = (piece: string): string => piece): string {
  const faults = new Faults()
  const run = new Run()
  const rendered = faults.guard(path, text, () => textOfParts(run, templateOf(text), roots, encode))
  if (rendered === undefined) throw new ExpressionError(faults.found)
  return rendered
}

function valueOfTemplate(run: Run, template: Template, roots: Json): unknown {
  const value = template.whole ? evaluateIn(run, template.whole, roots) : textOfParts(run, template, roots)
  run.deliver(value)
  return value
}

function textOfParts(run: Run, { parts }: Template, roots: Json, encode = (piece: string): string => piece): string {
  const pieceOf = (part: string | Expression): string => {
    if (typeof part === 'string') return part
    return encode(textOf(run, evaluateIn(run, part, roots)))
  }
  const pieces = parts.map(pieceOf)
  run.build(pieces.reduce((sum, piece) => sum + piece.length, 0))
  return pieces.join('')
}
