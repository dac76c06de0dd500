import { maskSecrets, secretMark, secretTexts } from '../../pipelines/pipeline-runs/secrets.ts'
import { variablePrefix } from '../adapter/plan-format.ts'

type Json = Record<string, unknown>

/**
 * Returns the shown input of a step without the values of its sensitive variables, wherever they appear. Only a plan
 * tells which variables are sensitive.
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

/** The values with marks in place of those that are hidden; undefined where no values are given. */
function withoutValues(given: unknown, names: readonly string[], isHidden: (value: unknown) => boolean) {
  if (typeof given !== 'object' || given === null) return undefined
  const hidden = Object.entries(given).filter(([name, value]) => names.includes(name) && isHidden(value))
  const marks = hidden.map(([name]) => [name, secretMark] as const)
  return { shown: { ...given, ...Object.fromEntries(marks) }, hidden: hidden.map(([, value]) => value) }
}

const isSet = (value: unknown): boolean => value !== null

/** An object names where the cloud account keeps the value. */
const isLiteral = (value: unknown): boolean => isSet(value) && typeof value !== 'object'
