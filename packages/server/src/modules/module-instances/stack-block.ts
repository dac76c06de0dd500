import { ExpressionError, render } from '@sluice/expressions'
import type { NearestDefault } from '../../projects/default-values/nearest.ts'
import { blockRoots, openDefaults } from './blocks.ts'
import type { Placed } from './graph.ts'
import { isObject } from './inputs/check.ts'
import type { Action } from './machine.ts'

type Json = Record<string, unknown>

/** What a stack block comes to for one run. */
export type StackRun = {
  /** The pipeline that the module or the defaults name; undefined: the built-in one. */
  pipelineId: string | undefined
  /** The name of the workspace in our state backend; null where the code brings a backend of its own. */
  workspace: string | null
  inputs: Json
}

/** What a run is rendered from. */
export type StackSubject = {
  placed: Placed
  /** Its resolved inputs. */
  values: Json
  nearest: readonly NearestDefault[]
  action: Action
  /** What set the run off, where a trigger of the block did, and what that adds to the inputs: as it was published. */
  setOff?: { input: unknown; payload: Json } | undefined
}

/** Renders what a run of the instance's stack is given; or every fault, each with its place in the config. */
export function renderStack({
  placed,
  values,
  nearest,
  action,
  setOff,
}: StackSubject): StackRun | { faults: string[] } {
  const sealed = new Set<string>()
  const roots = { ...blockRoots(placed, values), defaults: openDefaults(nearest, (key) => sealed.add(key)) }
  // A part may be a template as a whole. Only what a run needs is rendered: triggers have roots of their own.
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

/** A direct entry that is null is not set: the tool's own default applies. Within a value, null is handed on. */
function withoutUnset(inputs: Json): Json {
  const { iac_variables: variables } = inputs
  const set = isObject(variables) ? { ...inputs, iac_variables: withoutNulls(variables) } : inputs
  return withoutNulls(set)
}

const withoutNulls = (entries: Json): Json =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null))

/** A trigger of a stack block, rendered but for what its run is given: that may read what set it off. */
export type StackTrigger = {
  id: string
  type: string
  event: string
  repo: string | undefined
  filter: Json
  run: Json
}

/**
 * The triggers of the instance's stack block; undefined where they have no value. What sets them off is not there yet.
 */
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
