import type { ModuleInstanceUi } from '@sluice/contract'
import { ModuleInstanceUi as UiSchema } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import { Check } from 'typebox/value'

type Json = Record<string, unknown>

const parts = ['links', 'logs', 'metrics'] as const
type Part = (typeof parts)[number]

/**
 * Renders the links, logs and metrics of an instance. Omits entries that cannot be rendered, so that missing values do
 * not hide the others. Undefined if nothing remains.
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

/** Returns the entries of a list, or of one template that renders to a list. */
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

/** Removes null members, which templates treat like absent ones. */
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

/** Reports whether a link is HTTP or HTTPS. Other schemes, such as `javascript:`, are unsafe. */
function isWebAddress(href: string): boolean {
  if (!URL.canParse(href)) return false
  return ['http:', 'https:'].includes(new URL(href).protocol)
}
