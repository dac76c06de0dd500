import { Problem, pointOut, type TemplateIssue } from './errors.ts'
import { IssueCollector, itemPath, memberPath } from './faults.ts'
import { suggestName } from './nearest.ts'
import { hasTemplate, templateOf } from './template.ts'
import { type Expression, maxDepth, partsOf } from './tree.ts'

/** Names that a template may use below a root: all names, or these with the names below them. */
export type Shape = 'any' | { readonly [name: string]: Shape }

/** Maximum number of faults of one expression. More do not help, and each is compared with all names. */
const maxProblems = 20

/**
 * Returns the errors of the templates in `value` without rendering them: syntax errors, and functions, roots and names
 * that are not in `roots`. `path` is the path of `value`.
 */
export function check(value: unknown, roots: { readonly [name: string]: Shape }, path = ''): TemplateIssue[] {
  const faults = new IssueCollector()
  checkValue(value, path, 0)
  return faults.found

  function checkValue(node: unknown, at: string, depth: number): void {
    if (faults.areTooMany) return
    if (typeof node === 'string' && hasTemplate(node)) checkText(node, at)
    if (typeof node !== 'object' || node === null) return
    if (depth === maxDepth) {
      faults.add(at, `this is nested deeper than ${maxDepth} levels`)
      return
    }
    const isList = Array.isArray(node)
    for (const [key, member] of Object.entries(node)) {
      checkValue(member, isList ? itemPath(at, Number(key)) : memberPath(at, key), depth + 1)
    }
  }

  function checkText(text: string, at: string): void {
    const parts = faults.guard(at, text, () => templateOf(text).parts) ?? []
    for (const part of parts) {
      if (typeof part === 'string') continue
      // Computing the position takes time in proportion to the text before it, so skip it once there are enough faults.
      if (faults.areTooMany) return
      for (const problem of problemsOf(part)) faults.add(at, pointOut(text, problem))
    }
  }

  function problemsOf(expression: Expression): Problem[] {
    const problems: Problem[] = []
    shapeOf(expression)
    return problems

    /** Returns the names that are allowed below the value of `part`. Records faults inside of it. */
    function shapeOf(part: Expression): Shape {
      if (part.kind === 'root') return below({ at: part.at, what: `unknown name ${part.name}` }, roots, part.name)
      const [shape = 'any'] = partsOf(part).map(shapeOf)
      if (part.kind !== 'member' && part.kind !== 'index') return 'any'
      const name = part.kind === 'member' ? part.name : literalKey(part.index)
      if (shape === 'any' || name === undefined) return 'any'
      return below({ at: part.at, what: `${nameOf(part.of)} has no ${name}` }, shape, name)
    }

    function below(
      { at, what }: { at: number; what: string },
      shape: { readonly [name: string]: Shape },
      name: string,
    ): Shape {
      if (Object.hasOwn(shape, name)) return shape[name] ?? 'any'
      if (problems.length < maxProblems) problems.push(new Problem(suggestName(what, name, Object.keys(shape)), at))
      return 'any'
    }
  }
}

const literalKey = (index: Expression): string | undefined =>
  index.kind === 'literal' && typeof index.value === 'string' ? index.value : undefined

function nameOf(part: Expression): string {
  if (part.kind === 'root') return part.name
  return part.kind === 'member' ? `${nameOf(part.of)}.${part.name}` : 'this'
}
