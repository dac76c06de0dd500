import { maskSecrets, secretMark, secretTexts } from '../../pipelines/pipeline-runs/secrets.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { saveAttempt } from '../../pipelines/runner/claim.ts'
import type { Db } from '../../platform/db/open.ts'
import { variablePrefix } from '../adapter/plan-format.ts'

type Json = Record<string, unknown>

/** Maximum number of further secrets to look for, because each costs a search of the whole input. */
const maxSecrets = 500

/**
 * Masks sensitive and ephemeral variables in the stored input of a step, and other secrets, such as values from a
 * variable file of the source.
 */
export async function hideInput(
  db: Db,
  step: PipelineStepExecutionRow,
  variables: readonly string[],
  secrets: readonly string[] = [],
): Promise<void> {
  if (step.inputData === null || variables.length + secrets.length === 0) return
  await saveAttempt(db, step, {
    inputData: hideSensitiveVariables(step.inputData, variables, secrets.slice(0, maxSecrets)),
  })
}

/** Returns a step's input with the values of sensitive variables and other secrets masked wherever they occur. */
export function hideSensitiveVariables(
  inputData: Json,
  sensitive: readonly string[],
  secrets: readonly string[] = [],
): Json {
  const ofEnvironment = sensitive.map((name) => variablePrefix + name)
  const variables = withoutValues(inputData.variables, sensitive, isSet)
  const environment = withoutValues(inputData.environment_variables, ofEnvironment, isLiteral)
  const shown = {
    ...inputData,
    ...(variables && { variables: variables.shown }),
    ...(environment && { environment_variables: environment.shown }),
  }
  return maskSecrets(shown, [...secretTexts([variables?.hidden, environment?.hidden]), ...secrets])
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
