import type { OrderedSource, VariableInputs } from '@sluice/contract/runner-protocol'
import { Compile, type Validator } from 'typebox/compile'
import { iacStepConfigs } from '../../pipelines/pipeline-versions/config/iac-steps.ts'
import type { StepWith } from '../../pipelines/pipeline-versions/config/schema.ts'
import type { KeptVariable } from '../../pipelines/pipeline-versions/config/source.ts'
import type { AttemptToOrder } from '../../pipelines/runner/order.ts'
import { sourceOf } from '../../pipelines/runner/source.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import type { Db } from '../../platform/db/open.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import { ensureStackWorkspace } from '../../stacks/stacks/workspaces.ts'
import type { InputValues, PlanInputs } from './plan-inputs.ts'

export type IacStepType = keyof typeof iacStepConfigs

const validators = Object.fromEntries(
  Object.entries(iacStepConfigs).map(([type, schema]) => [type, Compile(schema)]),
) as Record<IacStepType, Validator>

/** Validates the step's input again, because templates may have rendered to anything. */
export function validateStepInput<T extends IacStepType>(
  type: T,
  { with: given }: Pick<AttemptToOrder, 'with'>,
): StepWith<T> {
  const faults = faultsOf(validators[type], given)
  if (faults.length === 0) return given as StepWith<T>
  throw new StepFailure('iacStepInvalid', 'The inputs of the step are invalid. See the details for all errors.', {
    details: [{ title: 'With', render: 'list', items: faults }],
  })
}

export type PlanWith = StepWith<'iac:plan'>

/**
 * Settings that a plan and its apply share. Encrypted with the plan, because environment variables may be secrets.
 * Excludes values of ephemeral variables.
 */
export type Setup = {
  source: OrderedSource
  tool: string
  toolVersion: string | undefined
  /** Null if the configuration has its own backend. */
  workspaceId: string | null
  environment: Record<string, string>
  /** Parameters and secrets in the cloud account, by variable name. Their values are never stored. */
  kept?: Record<string, KeptVariable>
  cloudAccountId: string | undefined
  region: string | undefined
  /** How the plan set input variables; absent in plans of earlier versions. */
  inputs?: VariableInputs & Pick<PlanInputs, 'ephemeral'>
}

export async function setupOf(db: Db, organizationId: string, stackId: string, given: PlanWith): Promise<Setup> {
  const name = given.workspace === undefined ? 'default' : given.workspace
  if (typeof given.source === 'string') {
    throw new StepFailure(
      'iacStepInvalid',
      '`with.source` must be an object that names files or a repository, not a string.',
    )
  }
  return {
    source: await sourceOf(db, organizationId, given.source, 'iacSourceUnavailable'),
    tool: given.tool ?? 'iac',
    toolVersion: given.tool_version ?? undefined,
    workspaceId: name === null ? null : (await ensureStackWorkspace(db, organizationId, { stackId, name })).id,
    ...environmentGiven(given),
    cloudAccountId: given.cloud_account_id ?? undefined,
    region: given.cloud_region ?? undefined,
  }
}

/** Returns the values that a step sets, including those in the environment. */
export const inputValuesOf = (given: PlanWith): InputValues => ({
  variables: variablesOf(given),
  environment: environmentGiven(given).environment,
})

/** Returns the values of input variables, where null means unset. */
function variablesOf({ variables = {} }: Pick<PlanWith, 'variables'>): Record<string, unknown> {
  if (typeof variables === 'string') {
    throw new StepFailure('iacStepInvalid', '`with.variables` must be an object of names and values, not a string.')
  }
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null))
}

function environmentGiven({
  environment_variables: given = {},
  cloud_account_id: account,
}: Pick<PlanWith, 'environment_variables' | 'cloud_account_id'>): Pick<Setup, 'environment' | 'kept'> {
  if (typeof given === 'string') {
    throw new StepFailure('iacStepInvalid', '`with.environment_variables` must be an object, not a string.')
  }
  const environment: Record<string, string> = {}
  const kept: Record<string, KeptVariable> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    if (typeof value === 'object') kept[name] = value
    else environment[name] = String(value)
  }
  if (Object.keys(kept).length === 0) return { environment }
  if (!account) {
    const names = Object.keys(kept).join(', ')
    throw new StepFailure('iacStepInvalid', `The step names no cloud account, which is required for ${names}.`, {
      description: 'Give the step `cloud_account_id` and `cloud_region`.',
    })
  }
  return { environment, kept }
}
