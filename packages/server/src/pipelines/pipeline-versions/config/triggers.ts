import { hasTemplate } from '@sluice/expressions'
import type { Draft, DraftPart } from './draft.ts'
import { resolveInputs } from './inputs.ts'
import { scheduleFaults } from './schedule.ts'
import type { PipelineInput } from './schema.ts'

type Json = Record<string, unknown>

/** Returns errors for times that never occur, and for inputs that are invalid for the started runs. */
export const triggerFaults = ({ triggers }: Draft, inputs: readonly PipelineInput[]): string[] =>
  triggers.flatMap((trigger) => [...timeFaults(trigger), ...inputFaults(trigger, inputs)])

function timeFaults({ place, written: { type, cron, time_zone: timeZone = 'UTC' } }: DraftPart): string[] {
  const isSchedule = type === 'schedule' && typeof cron === 'string' && typeof timeZone === 'string'
  return isSchedule ? scheduleFaults(cron, timeZone, place) : []
}

/**
 * Validates input values. Excludes templates, whose values are unknown before the run, and defaults, which are
 * validated elsewhere.
 */
function inputFaults({ place, written }: DraftPart, inputs: readonly PipelineInput[]): string[] {
  if (written.type === 'manual' || !isObject(written.inputs ?? {})) return []
  const given = (written.inputs ?? {}) as Json
  const isOpen = ({ id, default: preset }: PipelineInput) =>
    Object.hasOwn(given, id) ? hasTemplate(JSON.stringify(given[id] ?? null)) : preset !== undefined
  const resolved = resolveInputs(
    inputs.map((input) => (isOpen(input) ? { id: input.id, type: 'json' } : input)),
    given,
    `${place}.inputs`,
  )
  return 'faults' in resolved ? resolved.faults : []
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
