import { render } from '@sluice/expressions'
import { storeReleasedService } from '../../delivery/deployments/external/adopt.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { createInstance } from '../../modules/module-instances/create.ts'
import { loadGraph } from '../../modules/module-instances/load.ts'
import type { RunOrder } from '../../modules/module-instances/runs.ts'
import { lockModuleInstance, shareLockReferencesAround } from '../../modules/module-instances/store.ts'
import { type ModuleInstanceRow, moduleInstances } from '../../modules/module-instances/tables.ts'
import { updateInstance } from '../../modules/module-instances/update.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { and, eq, inArray, ne } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { newId } from '../../platform/ids.ts'
import { fromStored, toStored } from '../../projects/default-values/stored-values.ts'
import { defaultValueDefinitions, defaultValues } from '../../projects/default-values/tables.ts'
import { findNetwork, saveNetwork } from '../../projects/environment-networks/store.ts'
import { insertEnvironment, lockEnvironmentShared } from '../../projects/environments/store.ts'
import type { EnvironmentRow } from '../../projects/projects/tables.ts'
import { roleGrants } from '../../projects/role-grants/tables.ts'
import { applyInOrder, inOrder } from '../instance-runs/apply.ts'
import { rejectProduction } from './production.ts'
import { instancesIn } from './store.ts'
import type { PreviewRow, PreviewTemplateRow } from './tables.ts'

type Json = Record<string, unknown>

export type Copied = { template: PreviewTemplateRow; preview: PreviewRow }

/** Created environment, with the ids of runs to notify the engine of. */
export type CreatedPreview = { environmentId: string; runIds: string[] }

/**
 * Creates the environment of a pull request from its template, with its instances, and starts to apply them. @throws
 * {ApiError} previewInProduction, and errors of environments, instances and runs
 */
export async function createCopy(
  tx: Db,
  { template, preview }: Copied,
  seal: Seal,
  order: RunOrder,
): Promise<CreatedPreview> {
  const { organizationId } = template
  const source = await lockEnvironmentShared(tx, organizationId, template.environmentId)
  if (!source) throw referenceNotFound('environmentId', 'environment', template.environmentId)
  const environment = await copyEnvironment(tx, source, preview, seal)
  const of = { projectId: environment.projectId, environmentId: environment.id }
  const change = { action: 'environments.create', resourceType: 'environment', resourceId: environment.id, of }
  await recordChange(tx, order.author, { ...change, details: { previewEnvironmentId: preview.id } })
  const instances = await instancesToCopy(tx, template)
  const names = new Map(instances.map(({ id, givenId }) => [id, givenId]))
  const made: ModuleInstanceRow[] = []
  for (const { givenId, name, description, moduleDefinitionId, moduleVersionId, input } of instances) {
    const own = { ...(named(input, names) as Json), ...changesOf({ template, preview }, environment, givenId) }
    const given = { givenId, name, ...(description !== null && { description }), moduleDefinitionId, moduleVersionId }
    const row = await createInstance(tx, organizationId, { ...given, environmentId: environment.id, input: own })
    await storeReleasedService(tx, organizationId, row.id)
    made.push(row)
  }
  await rejectShared(tx, organizationId, environment)
  const runIds = await apply(tx, organizationId, made, order)
  return { environmentId: environment.id, runIds }
}

/**
 * Updates the instances of an existing preview environment to the latest commit and applies those that changed or were
 * not applied.
 */
export async function setCommit(
  tx: Db,
  { template, preview }: Copied,
  environmentId: string,
  order: RunOrder,
): Promise<string[]> {
  const { organizationId } = template
  const environment = await lockEnvironmentShared(tx, organizationId, environmentId)
  if (!environment) throw referenceNotFound('environmentId', 'environment', environmentId)
  const toApply: ModuleInstanceRow[] = []
  for (const { id, givenId } of await listedIn(tx, organizationId, environmentId)) {
    await shareLockReferencesAround(tx, organizationId, id)
    const row = await lockModuleInstance(tx, organizationId, id)
    if (!row) continue
    const input = { ...row.input, ...changesOf({ template, preview }, environment, givenId) }
    const isChanged = JSON.stringify(input) !== JSON.stringify(row.input)
    const changed = isChanged ? await updateInstance(tx, row, { input }) : row
    if (isChanged) await storeReleasedService(tx, organizationId, id)
    if (isChanged || row.status !== 'ACTIVE') toApply.push(changed)
  }
  await rejectShared(tx, organizationId, environment)
  return apply(tx, organizationId, toApply, order)
}

async function apply(tx: Db, organizationId: string, rows: ModuleInstanceRow[], order: RunOrder): Promise<string[]> {
  await rejectProduction(tx, organizationId, rows)
  const ids = rows.filter(({ stackId }) => stackId !== null).map(({ id }) => id)
  if (ids.length === 0) return []
  return (await applyInOrder(tx, organizationId, ids, order)).runIds
}

/** Returns the values that expressions in the template's and pipeline's inputs can read. */
export const rootsOf = (
  { number, branch, commit }: Pick<PreviewRow, 'number' | 'branch' | 'commit'>,
  { id, givenId }: Pick<EnvironmentRow, 'id' | 'givenId'>,
) => ({ pull_request: { number, branch, commit }, environment: { id, given_id: givenId } })

const changesOf = ({ template, preview }: Copied, environment: EnvironmentRow, givenId: string): Json =>
  render(template.inputs[givenId] ?? {}, rootsOf(preview, environment), `inputs.${givenId}`) as Json

/** Copies the environment with its grants, network and default values. */
async function copyEnvironment(tx: Db, source: EnvironmentRow, preview: PreviewRow, seal: Seal) {
  const { organizationId, projectId, restricted, visibility } = source
  const { id: previewEnvironmentId, givenId, number } = preview
  const description = `The preview environment of the pull request ${number}.`
  const given = { projectId, givenId, name: givenId, description, restricted, visibility, previewEnvironmentId }
  const environment = await insertEnvironment(tx, organizationId, given)
  const network = await findNetwork(tx, organizationId, source.id)
  if (network) await saveNetwork(tx, environment, network)
  await copyDefaults(tx, source, environment, seal)
  await copyGrants(tx, source, environment)
  return environment
}

async function copyDefaults(tx: Db, from: EnvironmentRow, to: EnvironmentRow, seal: Seal): Promise<void> {
  const { organizationId } = to
  const rows = await tx
    .select({ value: defaultValues, definition: defaultValueDefinitions })
    .from(defaultValues)
    .innerJoin(defaultValueDefinitions, eq(defaultValueDefinitions.id, defaultValues.defaultValueDefinitionId))
    .where(and(eq(defaultValues.organizationId, organizationId), eq(defaultValues.parentId, from.id)))
  if (rows.length === 0) return
  await tx.insert(defaultValues).values(
    rows.map(({ value, definition }) => {
      const own = { id: newId('dv'), organizationId }
      const held = toStored(seal, own, definition, fromStored(seal, value))
      const { defaultValueDefinitionId, parentType } = value
      return { ...own, defaultValueDefinitionId, parentType, parentId: to.id, held }
    }),
  )
}

/** Copies the role grants of the template environment. */
async function copyGrants(tx: Db, from: EnvironmentRow, to: EnvironmentRow): Promise<void> {
  const ofSource = and(eq(roleGrants.organizationId, to.organizationId), eq(roleGrants.environmentId, from.id))
  const rows = await tx.select().from(roleGrants).where(ofSource)
  if (rows.length === 0) return
  await tx.insert(roleGrants).values(
    rows.map(({ organizationId, membershipId, serviceAccountId, teamId, projectId, role }) => ({
      id: newId('grt'),
      organizationId,
      membershipId,
      serviceAccountId,
      teamId,
      projectId,
      role,
      environmentId: to.id,
    })),
  )
}

/** Returns the environment's instances, except those being destroyed. */
const listedIn = async (tx: Db, organizationId: string, environmentId: string): Promise<ModuleInstanceRow[]> =>
  (await instancesIn(tx, organizationId, environmentId)).filter(({ status }) => status !== 'DESTROYING')

/** Returns the instances that the template names, or all, with their dependencies, in dependency order. */
async function instancesToCopy(
  tx: Db,
  { organizationId, environmentId, instances: wanted }: PreviewTemplateRow,
): Promise<ModuleInstanceRow[]> {
  const all = await listedIn(tx, organizationId, environmentId)
  const missing = wanted?.find((name) => !all.some(({ givenId }) => givenId === name))
  if (missing !== undefined) throw referenceNotFound('instances', 'module instance', missing)
  const graph = await loadGraph(
    tx,
    organizationId,
    all.map(({ id }) => id),
  )
  const ordered = inOrder(
    graph,
    all.map(({ id }) => id),
  )
  const named = all.filter(({ givenId }) => !wanted || wanted.includes(givenId)).map(({ id }) => id)
  const needed = new Set(ordered.flatMap(({ id, waitsFor }) => (named.includes(id) ? [id, ...waitsFor] : [])))
  return ordered.flatMap(({ id }) => all.find((one) => one.id === id && needed.has(id)) ?? [])
}

/** Replaces ids of source instances in an input with the givenIds of their copies. */
function named(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => named(one, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, names)]))
}

/** Rejects a copy that would release to the same cloud resource as its original. */
async function rejectShared(tx: Db, organizationId: string, { id }: EnvironmentRow): Promise<void> {
  const own = await tx
    .select({ givenId: moduleInstances.givenId, arn: moduleInstances.resourceArn })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.environmentId, id)))
  const arns = own.flatMap(({ arn }) => (arn === null ? [] : [arn]))
  if (arns.length === 0) return
  const [other] = await tx
    .select({ arn: moduleInstances.resourceArn })
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        inArray(moduleInstances.resourceArn, arns),
        ne(moduleInstances.environmentId, id),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
    .limit(1)
  if (!other) return
  const givenId = own.find(({ arn }) => arn === other.arn)?.givenId
  const message = `${givenId} would be released to ${other.arn}, which an instance of another environment is released to.`
  throw new ApiError('previewTemplateInvalid', message, {
    description: 'Set different inputs for the copy: `inputs` of the template.',
  })
}
