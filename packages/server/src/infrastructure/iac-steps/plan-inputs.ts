import { isDeepStrictEqual } from 'node:util'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import type { PlanFile } from '../adapter/plan-format.ts'

type Json = Record<string, unknown>

/** Values of input variables, and the tool's environment, which can set more as `TF_VAR_…`. */
export type InputValues = { variables: Json; environment: Record<string, string> }

/** Inputs of a plan. For ephemeral variables it has only the names, because a plan does not contain their values. */
export type PlanInputs = { values: InputValues; ephemeral: { variables: string[]; environment: string[] } }

/**
 * Separates ephemeral variables from the other inputs. The tool does not list them, but a plan omits their values or
 * contains the default instead.
 */
export function planInputsOf({ variables = {}, configuration }: PlanFile, given: InputValues): PlanInputs {
  const declared = configuration?.root_module?.variables ?? {}
  const isEphemeral = (name: string, value: unknown) =>
    Object.hasOwn(declared, name) && !isPlanned(variables[name]?.value, value, declared[name])
  const ofVariables = separate(given.variables, isEphemeral)
  const ofEnvironment = separate(
    given.environment,
    (name, value) => name.startsWith(prefix) && isEphemeral(name.slice(prefix.length), value),
  )
  return {
    values: { variables: ofVariables.rest, environment: ofEnvironment.rest },
    ephemeral: { variables: ofVariables.names, environment: ofEnvironment.names },
  }
}

/**
 * Reports whether a plan has the given value. The tool converts texts to the type of the variable, and reads those of
 * lists, maps and objects as expressions, which need not be JSON. Such a plan has a value besides the default.
 */
function isPlanned(planned: unknown, given: unknown, declared: unknown): boolean {
  if (isDeepStrictEqual(planned, given)) return true
  if (typeof given !== 'string' || planned === undefined || planned === null) return false
  if (typeof planned !== 'object') return typeof planned !== 'string' && String(planned) === given.trim()
  if (isDeepStrictEqual(planned, jsonOf(given))) return true
  const { default: preset } = (declared ?? {}) as { default?: unknown }
  return /^\s*[[{]/.test(given) && !isDeepStrictEqual(planned, preset)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Prefix of environment variables that set input variables. */
const prefix = 'TF_VAR_'

/**
 * Returns the inputs of an apply: the plan's values and the current values of ephemeral variables. @throws
 * {StepFailure} if an ephemeral variable has no value any more
 */
export function applyInputsOf({ values, ephemeral }: PlanInputs, now: InputValues): InputValues {
  const missing = [
    ...missingIn(now.variables, ephemeral.variables).map((name) => `with.variables.${name}`),
    ...missingIn(now.environment, ephemeral.environment).map((name) => `with.environment_variables.${name}`),
  ]
  if (missing.length > 0) {
    const variables = missing.join(', ')
    const message = `Cannot apply the plan: ${variables} of its step had a value when it was planned, and has none now.`
    throw new StepFailure('iacStepInvalid', message, {
      description:
        'The variable is ephemeral: the plan does not contain its value. Set it where the step reads it, and retry the run.',
    })
  }
  return {
    variables: { ...values.variables, ...pick(now.variables, ephemeral.variables) },
    environment: { ...values.environment, ...pick(now.environment, ephemeral.environment) },
  }
}

const pick = <T>(values: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))

const missingIn = (values: Json, names: readonly string[]): string[] =>
  names.filter((name) => !Object.hasOwn(values, name))

function separate<T>(values: Record<string, T>, isSeparate: (name: string, value: T) => boolean) {
  const names = Object.entries(values).flatMap(([name, value]) => (isSeparate(name, value) ? [name] : []))
  return { names, rest: Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))) }
}
