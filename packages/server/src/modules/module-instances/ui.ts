import type { ModuleInstanceUi } from '@sluice/contract'
import { ModuleInstanceUi as UiSchema } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import { Check } from 'typebox/value'

type Json = Record<string, unknown>

const parts = ['links', 'logs', 'metrics'] as const
type Part = (typeof parts)[number]

/**
 * What to show beside an instance now. An entry that cannot be rendered, or lacks what it needs, is left out: what is
 * not there yet must not hide the instance. Undefined where nothing is left.
 */
export function uiOf(block: unknown, roots: Json): ModuleInstanceUi | undefined {
  const opened = typeof block === 'string' ? rendered(block, roots) : block
  if (typeof opened !== 'object' || opened === null) return undefined
  const entries = parts.flatMap((part) => {
    const shown = entriesOf((opened as Json)[part], roots).filter((entry) => isShown(part, entry))
    return shown.length > 0 ? [[part, shown]] : []
  })
  return entries.length > 0 ? (Object.fromEntries(entries) as ModuleInstanceUi) : undefined
}

/** One template that yields the list, or a list whose entries stand for themselves. */
function entriesOf(list: unknown, roots: Json): unknown[] {
  if (!Array.isArray(list)) return listOf(rendered(list, roots))
  return list.flatMap((entry) => listOf(rendered([entry], roots)))
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.map(withoutNulls) : [])

function rendered(template: unknown, roots: Json): unknown {
  try {
    return render(template, roots)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
}

/** In the language, null and absent are alike. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}

function isShown(part: Part, entry: unknown): boolean {
  if (!Check(UiSchema, { [part]: [entry] })) return false
  return part !== 'links' || isWebAddress((entry as { href: string }).href)
}

/** Anything else, such as `javascript:`, would do more than lead somewhere. */
function isWebAddress(href: string): boolean {
  if (!URL.canParse(href)) return false
  return ['http:', 'https:'].includes(new URL(href).protocol)
}
