import { ExpressionError, render } from '@sluice/expressions'
import type { NearestDefault } from '../../projects/default-values/nearest.ts'
import { blockRoots, openDefaults } from './blocks.ts'
import type { InstanceNode } from './graph.ts'
import { isObject } from './inputs/check.ts'
import type { Action } from './machine.ts'

type Json = Record<string, unknown>

/** Stack block rendered for one run. */
export type StackRun = {
  /** Pipeline from the module or the defaults; undefined: the built-in one. */
  pipelineId: string | undefined
  /** Workspace in Sluice's state backend; null if the configuration has its own backend. */
  workspace: string | null
  inputs: Json
}

/** Data from which a run is rendered. */
export type StackSubject = {
  placed: InstanceNode
  values: Json
  nearest: readonly NearestDefault[]
  action: Action
  /** Trigger of the block that started the run, with its additional inputs as published. */
  setOff?: { input: unknown; payload: Json } | undefined
}

/** Renders the stack block for a run, or returns all errors with their places in the config. */
export function renderStack({
  placed,
  values,
  nearest,
  action,
  setOff,
}: StackSubject): StackRun | { faults: string[] } {
  const sealed = new Set<string>()
  const roots = { ...blockRoots(placed, values), defaults: openDefaults(nearest, (key) => sealed.add(key)) }
  // A part may be a single template. Triggers have other values, so only the parts for this run are rendered.
  const opened = (part: unknown): unknown => (typeof part === 'string' ? render(part, roots, 'stack') : part)
  try {
    const stack = opened(placed.version.config.stack)
    if (!isObject(stack)) return { faults: ['stack: this version of the module has none'] }
    const named = opened(stack.pipelines)
    const block = {
      workspace: stack.service_state_backend_workspace ?? null,
      pipelineId: memberOf(opened(memberOf(named, action)), 'pipeline_id'),
      variant: memberOf(opened(memberOf(named, 'defaults')), 'variant') ?? 'standard',
      inputs: memberOf(opened(memberOf(named, 'defaults')), 'input') ?? {},
    }
    const { workspace, pipelineId, variant, inputs: usual } = render(block, roots, 'stack') as Json
    const own = setOff ? render(setOff.input ?? {}, { ...roots, trigger: { payload: setOff.payload } }, 'stack') : {}
    const inputs = isObject(usual) && isObject(own) ? { ...usual, ...own } : undefined
    const faults = [
      ...[...sealed].map((key) => `stack: defaults.${key} is sensitive; read it in the pipeline instead`),
      ...(variant === 'standard' ? [] : ['stack.pipelines.defaults.variant: must be standard']),
      ...(isObject(inputs) ? [] : ['stack.pipelines.defaults.input: must be an object']),
      ...(workspace === null || typeof workspace === 'string'
        ? []
        : ['stack.service_state_backend_workspace: must be a string']),
      ...(pipelineId === null || typeof pipelineId === 'string' ? [] : [`stack.pipelines.${action}: must be an id`]),
    ]
    if (faults.length > 0) return { faults }
    return {
      pipelineId: typeof pipelineId === 'string' && pipelineId !== '' ? pipelineId : undefined,
      workspace: typeof workspace === 'string' && workspace !== '' ? workspace : null,
      inputs: withoutUnset(inputs as Json),
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { faults: error.faults.map(({ path, message }) => `${path}: ${message}`) }
  }
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? (value[name] ?? null) : null)

/** Removes null entries, so that the tool's defaults apply. Nulls nested in values remain. */
function withoutUnset(inputs: Json): Json {
  const { iac_variables: variables } = inputs
  const set = isObject(variables) ? { ...inputs, iac_variables: withoutNulls(variables) } : inputs
  return withoutNulls(set)
}

const withoutNulls = (entries: Json): Json =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null))

/** Rendered trigger of a stack block. Its run is not rendered, because that may read the event. */
export type StackTrigger = {
  id: string
  type: string
  event: string
  repo: string | undefined
  filter: Json
  run: Json
}

/** Renders the triggers of an instance's stack block. Returns undefined if they have no value. */
export function renderTriggers({ placed, values, nearest }: Omit<StackSubject, 'action'>): StackTrigger[] | undefined {
  const roots = { ...blockRoots(placed, values), defaults: openDefaults(nearest, () => {}) }
  const opened = (part: unknown): unknown => (typeof part === 'string' ? render(part, roots, 'stack') : part)
  try {
    const pipelines = opened(memberOf(opened(placed.version.config.stack), 'pipelines'))
    const triggers = opened(memberOf(opened(memberOf(pipelines, 'change')), 'triggers'))
    const usual = memberOf(opened(memberOf(opened(memberOf(pipelines, 'defaults')), 'input')), 'repo')
    if (!Array.isArray(triggers)) return []
    return triggers.filter(isObject).map(({ run, ...trigger }) => {
      const { repo, ...rendered } = render({ repo: usual, ...withoutNulls(trigger) }, roots, 'stack') as Json
      return {
        id: String(rendered.id),
        type: String(rendered.type),
        event: String(rendered.event),
        repo: typeof repo === 'string' ? repo : undefined,
        filter: isObject(rendered.filter) ? rendered.filter : {},
        run: isObject(run) ? run : {},
      }
    })
  } catch (error) {
    if (error instanceof ExpressionError) return undefined
    throw error
  }
}
