import { randomBytes } from 'node:crypto'
import { type CloudAccount, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList, unfiltered } from '../../platform/http/handle.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { present } from '../../platform/present.ts'
import type { Cloud } from '../adapter/access.ts'
import { findEventQueue, setEventQueue } from '../event-queues/store.ts'
import { connectionStateOnConnect, type RegionsOf } from './checks.ts'
import { findConnection, saveVerifiedRole } from './connections.ts'
import { latestRole } from './role-version.ts'
import { requireSameAccount, requireValidRole, roleRecipeFor } from './roles.ts'
import {
  findCloudAccount,
  insertCloudAccount,
  listCloudAccounts,
  lockCloudAccount,
  removeCloudAccount,
  setEventSecret,
  updateCloudAccount,
} from './store.ts'
import type { CloudAccountRow } from './tables.ts'

type Parts = {
  cloud: Cloud
  /** URL of the template that creates the role; without it there are no quick-create links. */
  connectTemplateUrl: string | undefined
  clock: () => Date
  regionsOfCloudAccount: RegionsOf
}

const resourceType = 'cloud-account'

export function serveCloudAccounts(app: App, { cloud, clock, connectTemplateUrl, regionsOfCloudAccount }: Parts): void {
  handle(app, routes.createCloudAccount, ({ body: { data }, caller, db, request }) =>
    rejectTaken('cloud_accounts_organization_given_id', givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const account = await insertCloudAccount(tx, caller.organizationId, { ...data, externalId: newExternalId() })
        const change = { action: 'cloud-accounts.create', resourceType, resourceId: account.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(account) }
      }),
    ),
  )

  handleList(app, routes.listCloudAccounts, unfiltered(listCloudAccounts), toWire)
  handleGet(app, routes.getCloudAccount, { find: findCloudAccount, notFound, toWire })

  handle(app, routes.updateCloudAccount, ({ params, body: { data }, caller, db, request }) =>
    rejectTaken('event_queues_arn', queueTaken(data.eventQueueArn), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const { eventQueueArn, ...changes } = data
        const account = await updateCloudAccount(tx, organizationId, params.id, changes)
        if (!account) throw notFound(params.id)
        if (eventQueueArn) requireOwnQueue(account, eventQueueArn)
        if (eventQueueArn !== undefined) await setEventQueue(tx, organizationId, account.id, eventQueueArn)
        const change = { action: 'cloud-accounts.update', resourceType, resourceId: account.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(account) }
      }),
    ),
  )

  const markOf = ({ isProduction }: CloudAccountRow) => ({ isProduction })
  handleGet(app, routes.getProductionMark, { find: findCloudAccount, notFound, toWire: markOf })

  handle(app, routes.updateProductionMark, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const account = await updateCloudAccount(tx, caller.organizationId, params.id, data)
      if (!account) throw notFound(params.id)
      const change = { action: 'cloud-accounts.mark', resourceType, resourceId: account.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return { data }
    }),
  )

  handle(app, routes.deleteCloudAccount, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const account = await lockCloudAccount(tx, caller.organizationId, params.id)
      if (!account) throw notFound(params.id)
      const users = await app.findDependents('cloud-accounts', tx, account.organizationId, account.id)
      if (users.length > 0) throw inUse('cloudAccountInUse', `cloud account ${account.givenId}`, users)
      await removeCloudAccount(tx, caller.organizationId, account.id)
      const change = { action: 'cloud-accounts.delete', resourceType, resourceId: account.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  handle(app, routes.connectCloudAccount, async ({ params, body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const { roleArn } = data
    const found = await findCloudAccount(db, organizationId, params.id)
    if (!found) throw notFound(params.id)
    requireSameAccount(found, roleArn)
    await requireValidRole(cloud, found, roleArn)
    const standing = await connectionStateOnConnect({ db, cloud, clock, regionsOfCloudAccount }, found, roleArn)
    return rejectTaken('cloud_accounts_cloud_arn', roleTaken(roleArn), () =>
      db.transaction(async (tx) => {
        const locked = await lockCloudAccount(tx, organizationId, params.id)
        if (locked) requireSameAccount(locked, roleArn) // another request may have connected it during the check
        if (!locked) throw notFound(params.id)
        const account = await saveVerifiedRole(tx, locked, roleArn, standing)
        const change = { action: 'cloud-accounts.connect', resourceType, resourceId: account.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(account) }
      }),
    )
  })

  handle(app, routes.getCloudConnection, async ({ params, caller, db }) => {
    const account = await findCloudAccount(db, caller.organizationId, params.id)
    if (!account) throw notFound(params.id)
    const connection = await findConnection(db, caller.organizationId, account.id)
    return {
      data: present({
        status: account.status,
        checkedAt: connection?.checkedAt?.toISOString(),
        error: connection?.error ?? undefined,
      }),
    }
  })

  handle(app, routes.getConnectionLink, async ({ params, query, caller, db }) => {
    const account = await findCloudAccount(db, caller.organizationId, params.id)
    if (!account) throw notFound(params.id)
    const recipe = await roleRecipeFor(cloud, account, { region: query.region, templateUrl: connectTemplateUrl })
    return { data: { externalId: account.externalId, ...recipe } }
  })

  handle(app, routes.createEventSecret, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const eventSecret = randomBytes(32).toString('base64url')
      const account = await setEventSecret(tx, caller.organizationId, params.id, eventSecret)
      if (!account) throw notFound(params.id)
      const change = { action: 'cloud-accounts.event-secret', resourceType, resourceId: account.id }
      await recordChange(tx, { caller, request }, change)
      return { data: { eventSecret } }
    }),
  )

  handle(app, routes.getEventQueue, async ({ params, caller, db }) => {
    const account = await findCloudAccount(db, caller.organizationId, params.id)
    if (!account) throw notFound(params.id)
    const queue = await findEventQueue(db, caller.organizationId, account.id)
    return {
      data: present({
        queueArn: queue?.queueArn,
        lastPolledAt: queue?.lastPolledAt?.toISOString(),
        error: queue?.error ?? undefined,
      }),
    }
  })
}

/** Rejects a queue in another account: the role reads it, and its messages count as the account's own. */
function requireOwnQueue({ cloudId, givenId }: CloudAccountRow, queueArn: string): void {
  const accountNumber = queueArn.split(':').at(4)
  if (cloudId === accountNumber) return
  const own = cloudId === null ? `${givenId} is not connected yet` : `${givenId} is the cloud account ${cloudId}`
  throw new ApiError('eventQueueElsewhere', `The queue is in the account ${accountNumber}, but ${own}.`)
}

const queueTaken = (queueArn: string | null | undefined) => () =>
  new ApiError(
    'eventQueueTaken',
    `Another cloud account already fetches events from ${queueArn}. Create a queue for each cloud account.`,
  )

/** Generates an external id. Tenants cannot choose it, so none can present the id of another. */
const newExternalId = (): string => randomBytes(24).toString('base64url')

const notFound = (id: string) => missing('cloudAccountNotFound', 'cloud account', id)

const givenIdTaken = (givenId: string) => () =>
  new ApiError(
    'cloudAccountGivenIdTaken',
    `The organization already has a cloud account ${givenId}. Choose another givenId.`,
  )

const roleTaken = (roleArn: string) => () =>
  new ApiError(
    'cloudRoleTaken',
    `The role ${roleArn} is already connected. Create a separate role for each connection.`,
  )

/**
 * Serializes an account without the external id and the hash of the event secret, which protect it from other tenants.
 */
const toWire = (row: CloudAccountRow): CloudAccount => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  givenId: row.givenId,
  name: row.name,
  status: row.status,
  ...(row.cloudArn !== null && { cloudArn: row.cloudArn }),
  ...(row.cloudId !== null && { cloudId: row.cloudId }),
  ...(row.cfnStackId !== null && { cfnStackId: row.cfnStackId }),
  ...(row.roleVersion !== null && { roleVersion: row.roleVersion }),
  ...(row.cloudArn !== null && {
    latestRoleVersion: latestRole.version,
    latestRoleVersionDescription: latestRole.description,
  }),
})
