import { Problem } from './errors.ts'
import { hasTemplate, templateOf } from './template.ts'
import { type Expression, maxDepth, partsOf } from './tree.ts'

/**
 * What the templates in `value` name: `['module', 'input', 'port']` for `module.input.port`, as far as the names are
 * written out. Templates that do not parse name nothing.
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

  /** The longest name that begins here is noted, and not the shorter ones inside it. */
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
