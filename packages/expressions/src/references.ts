import { Problem } from './errors.ts'
import { hasTemplate, templateOf } from './template.ts'
import { type Expression, maxDepth, partsOf } from './tree.ts'

/**
 * Returns the names that templates in `value` refer to, such as `['module', 'input', 'port']` for `module.input.port`,
 * up to the first computed part. Ignores templates with syntax errors.
 */
export function referencesIn(value: unknown): string[][] {
  const found: string[][] = []
  visit(value, 0)
  return found

  function visit(node: unknown, depth: number): void {
    if (typeof node === 'string' && hasTemplate(node)) for (const part of expressionsIn(node)) collect(part)
    if (typeof node !== 'object' || node === null || depth === maxDepth) return
    for (const member of Object.values(node)) visit(member, depth + 1)
  }

  /** Records the longest name that starts here, without the shorter ones inside it. */
  function collect(part: Expression): void {
    const names = namesOf(part)
    if (names) found.push(names)
    else for (const inside of partsOf(part)) collect(inside)
  }
}

function expressionsIn(text: string): Expression[] {
  try {
    return templateOf(text).parts.filter((part) => typeof part !== 'string')
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
}

function namesOf(part: Expression): string[] | undefined {
  if (part.kind === 'root') return [part.name]
  if (part.kind !== 'member') return undefined
  const before = namesOf(part.of)
  return before && [...before, part.name]
}
