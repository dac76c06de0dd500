import { maskSecrets, secretMark, secretTexts } from '../../pipelines/pipeline-runs/secrets.ts'
import { variablePrefix } from '../adapter/plan-format.ts'

type Json = Record<string, unknown>

/**
 * Returns a step's input with the values of sensitive variables masked wherever they occur. Only a plan reveals which
 * variables are sensitive.
 */
export function hideSensitiveVariables(inputData: Json, sensitive: readonly string[]): Json {
  const ofEnvironment = sensitive.map((name) => variablePrefix + name)
  const variables = withoutValues(inputData.variables, sensitive, isSet)
  const environment = withoutValues(inputData.environment_variables, ofEnvironment, isLiteral)
  const shown = {
    ...inputData,
    ...(variables && { variables: variables.shown }),
    ...(environment && { environment_variables: environment.shown }),
  }
  return maskSecrets(shown, secretTexts([variables?.hidden, environment?.hidden]))
}

/** Returns the values with the selected ones masked, or undefined if there are none. */
function withoutValues(given: unknown, names: readonly string[], isHidden: (value: unknown) => boolean) {
  if (typeof given !== 'object' || given === null) return undefined
  const hidden = Object.entries(given).filter(([name, value]) => names.includes(name) && isHidden(value))
  const marks = hidden.map(([name]) => [name, secretMark] as const)
  return { shown: { ...given, ...Object.fromEntries(marks) }, hidden: hidden.map(([, value]) => value) }
}

const isSet = (value: unknown): boolean => value !== null

/** Reports whether a value is a literal, not a reference to a value in the cloud account. */
const isLiteral = (value: unknown): boolean => isSet(value) && typeof value !== 'object'
