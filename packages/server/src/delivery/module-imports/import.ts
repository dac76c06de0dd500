import type { ImportModuleInstance, ModuleImport } from '@sluice/contract'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { createInstance } from '../../modules/module-instances/create.ts'
import type { ModuleInstanceRow } from '../../modules/module-instances/tables.ts'
import type { Access } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisibleForCaller } from '../../platform/db/organization.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { present } from '../../platform/present.ts'
import { expectResolved } from '../deployments/create/accept.ts'
import { findTarget, resolveTarget } from '../deployments/create/target.ts'
import { storeReleasedService } from '../deployments/external/adopt.ts'
import { insertFinished } from '../deployments/external/insert-finished.ts'
import type { Release } from '../deployments/types/release.ts'
import type { ImportDraft } from './found.ts'
import { definitionOf } from './imported-module.ts'
import { firstDeploymentOf, lockImports, releasersTo } from './store.ts'

/** Resource to import as it was read, and when. */
export type ResourceRead = { found: ImportDraft; cloudAccountId: string; readAt: Date }

type ImportParts = { asking: CallerRequest & { caller: { access: Access } }; reading: ResourceRead }

export type Imported = { made: ModuleImport; isNew: boolean }

/** Thrown to roll back a dry run, which does everything that an import does and so fails for the same reasons. */
class DryRunRollback extends Error {
  readonly made: ModuleImport
  constructor(made: ModuleImport) {
    super('a dry run is undone')
    this.made = made
  }
}

/**
 * Creates an instance for a running resource, and a deployment for its running version, in one transaction. A repeated
 * request returns the existing instance.
 */
export async function importInstance(db: Db, parts: ImportParts, wish: ImportModuleInstance): Promise<Imported> {
  const taken = () =>
    new ApiError(
      'moduleInstanceGivenIdTaken',
      `The environment already has a module instance ${wish.givenId}. Choose another givenId.`,
    )
  try {
    return await rejectTaken('module_instances_environment_given_id', taken, () =>
      db.transaction((tx) => importIn(tx, parts, wish)),
    )
  } catch (error) {
    if (error instanceof DryRunRollback) return { made: error.made, isNew: false }
    throw error
  }
}

async function importIn(tx: Db, { asking, reading }: ImportParts, wish: ImportModuleInstance): Promise<Imported> {
  const { found } = reading
  const author = authorOf(asking)
  const { organizationId } = author
  await lockImports(tx, organizationId)
  const there = await importedBefore(tx, asking, found, wish)
  if (there) return { made: { ...shown(found, found.input, []), ...there }, isNew: false }

  const { environmentId, givenId, name, description } = wish
  const input = { ...found.input, ...wish.input }
  const moduleDefinitionId = await definitionOf(tx, author, found.module)
  const given = { environmentId, moduleDefinitionId, givenId, name, input, ...present({ description }) }
  const instance = await createInstance(tx, organizationId, given)
  await storeReleasedService(tx, organizationId, instance.id)
  const next = await nextRelease(tx, reading, instance)
  const { ended, remarks } = found.recorded(next)
  const deploymentId = await insertFinished(tx, author, {
    place: {
      organizationId,
      moduleInstanceId: instance.id,
      projectId: instance.projectId,
      environmentId: instance.environmentId,
    },
    description: 'Ran already when it was imported.',
    ended,
    // External deployments since the read are newer than this one.
    now: reading.readAt,
    endedAt: found.running.since,
  })
  const details = { resourceArn: wish.resourceArn, environmentId, givenId, name, deploymentId }
  const about = { resourceType: 'module-instance', resourceId: instance.id, of: instance }
  await recordChange(tx, author, { action: 'module-instances.import', ...about, details })
  const made = shown(found, input, remarks)
  if (wish.dryRun) throw new DryRunRollback(made)
  return { made: { ...made, moduleInstanceId: instance.id, deploymentId }, isNew: true }
}

const shown = (
  { module, running, remarks }: ImportDraft,
  input: ModuleImport['input'],
  more: ModuleImport['remarks'],
) => ({
  moduleType: module.type,
  input,
  running: { ...running, ...present({ since: running.since?.toISOString() }) } as ModuleImport['running'],
  remarks: [...remarks, ...more],
})

/** Returns what the instance would release now. Fails if the next release would. */
async function nextRelease(
  tx: Db,
  { found, cloudAccountId }: ResourceRead,
  { organizationId, id, givenId }: ModuleInstanceRow,
): Promise<Release | undefined> {
  if (!found.deployInputs) return undefined
  const target = await findTarget(tx, organizationId, id)
  if (!target) throw new Error(`the module instance ${id} is not there`)
  const { resolution } = await resolveTarget(tx, target, { organizationId }, found.deployInputs)
  const { release, queue } = expectResolved(resolution, givenId)
  return { ...release, cloudAccountId, queue }
}

/** Returns the instance that the same request created before. Fails if another instance releases to the resource. */
async function importedBefore(
  tx: Db,
  { caller }: ImportParts['asking'],
  { resourceArn, aliasName, module }: ImportDraft,
  { environmentId, givenId }: ImportModuleInstance,
): Promise<{ moduleInstanceId: string; deploymentId: string } | undefined> {
  const { organizationId } = caller
  const isSame = (one: { aliasName: string | null }) =>
    aliasName === undefined || one.aliasName === null || one.aliasName === aliasName
  const all = await withAllScopesVisibleForCaller(tx, caller.access, (everything) =>
    releasersTo(everything, organizationId, [resourceArn]),
  )
  const [other] = all.filter(isSame)
  if (!other) return undefined
  const isOurs = other.environmentId === environmentId && other.givenId === givenId && other.type === module.type
  const deploymentId = isOurs ? await firstDeploymentOf(tx, organizationId, other.id) : undefined
  if (deploymentId !== undefined) return { moduleInstanceId: other.id, deploymentId }
  const [visible] = await releasersTo(tx, organizationId, [resourceArn])
  const named = visible?.id === other.id ? `The module instance ${other.givenId} (${other.id})` : 'A module instance'
  throw new ApiError('importTaken', `${named} already releases to this resource.`)
}
