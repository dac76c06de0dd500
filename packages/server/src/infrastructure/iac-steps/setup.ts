import { hash } from 'node:crypto'
import { Compile, type Validator } from 'typebox/compile'
import { findCodeSource } from '../../git/code-sources/store.ts'
import { iacStepConfigs } from '../../pipelines/pipeline-versions/config/iac-steps.ts'
import type { StepWith } from '../../pipelines/pipeline-versions/config/schema.ts'
import type { Attempt } from '../../pipelines/runner/work.ts'
import type { Db } from '../../platform/db/open.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import type { Source } from '../adapter/checkout.ts'
import { StepFailure } from './failure.ts'

export type IacStepType = keyof typeof iacStepConfigs

const validators = Object.fromEntries(
  Object.entries(iacStepConfigs).map(([type, schema]) => [type, Compile(schema)]),
) as Record<IacStepType, Validator>

/** What the step was given. Templates may have come to anything, so it is looked at again. */
export function givenTo<T extends IacStepType>(type: T, { with: given }: Attempt): StepWith<T> {
  const faults = faultsOf(validators[type], given)
  if (faults.length === 0) return given as StepWith<T>
  throw new StepFailure('iacStepInvalid', 'What the step was given does not fit; the details name every fault.', {
    details: [{ title: 'With', render: 'list', items: faults }],
  })
}

export type PlanWith = StepWith<'iac:plan'>
/** The source as it is written. */
type SourceConfig = PlanWith['source']

/** All that a plan and its apply must have in common. Sealed with the plan, since variables of the environment may be secrets. */
export type Setup = {
  source: Source
  tool: string
  toolVersion: string | undefined
  /** Null where the configuration brings a backend of its own. */
  workspaceId: string | null
  environment: Record<string, string>
  cloudAccountId: string | undefined
  region: string | undefined
}

/** The source, with the address of the repository that it names. */
export async function sourceOf(db: Db, organizationId: string, given: SourceConfig): Promise<Source> {
  if (typeof given === 'string') {
    throw new StepFailure(
      'iacStepInvalid',
      '`with.source` should be an object that names files or a repository, not a text.',
    )
  }
  const basePath = given.base_path ?? '.'
  if ('files' in given) return { files: given.files, basePath }
  const ref = given.ref ?? undefined
  if ('repo' in given) return { url: given.repo, ref, basePath }
  const { code_source_id: codeSourceId } = given
  const source = await findCodeSource(db, organizationId, codeSourceId)
  if (source) return { url: source.repoUrl, ref: ref ?? source.defaultBranch ?? undefined, codeSourceId, basePath }
  throw new StepFailure('iacSourceUnavailable', `There is no code source ${codeSourceId} in this organization.`)
}

/** The values of input variables; null means not set. */
export function variablesOf({ variables = {} }: Pick<PlanWith, 'variables'>): Record<string, unknown> {
  if (typeof variables === 'string') {
    throw new StepFailure('iacStepInvalid', '`with.variables` should be an object from names to values, not a text.')
  }
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null))
}

export function environmentGiven({ environment_variables: given = {} }: Pick<PlanWith, 'environment_variables'>) {
  if (typeof given === 'string') {
    throw new StepFailure('iacStepInvalid', '`with.environment_variables` should be an object, not a text.')
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  )
}

/** The same for the same values, whatever the order of their names. */
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(sorted(value)), 'hex')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
