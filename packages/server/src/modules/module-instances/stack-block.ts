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

/** Renders what a run of the instance's stack is given; or every fault, each with its place in the config. */
export function renderStack(
  placed: Placed,
  values: Json,
  nearest: readonly NearestDefault[],
  action: Action,
): StackRun | { faults: string[] } {
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
      inputs: memberOf(opened(memberOf(named, 'defaults')), 'input') ?? {},
    }
    const { workspace, pipelineId, inputs } = render(block, roots, 'stack') as Json
    const faults = [
      ...[...sealed].map((key) => `stack: defaults.${key} is sensitive; read it in the pipeline instead`),
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
