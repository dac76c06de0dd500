import { type Domain, routes } from '@sluice/contract'
import { certificatesNaming } from '../../cloud/certificates/store.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { lockEnvironmentShared } from '../environments/store.ts'
import { namesCovering } from './machine.ts'
import { findDomain, insertDomain, listDomains, removeDomain } from './store.ts'
import type { DomainRow } from './tables.ts'

const resourceType = 'domain'

export function serveDomains(app: App): void {
  handle(app, routes.createDomain, async ({ body: { data }, caller, db, request }) => {
    const taken = () => new ApiError('domainTaken', `The organization already has the domain ${data.name}.`)
    const row = await rejectTaken('domains_organization_name', taken, () =>
      db.transaction(async (tx) => {
        const environment = await lockEnvironmentShared(tx, caller.organizationId, data.environmentId)
        if (!environment) throw referenceNotFound('environmentId', 'environment', data.environmentId)
        const made = await insertDomain(tx, environment, data)
        const change = { action: 'domains.create', resourceType, resourceId: made.id, of: made, details: data }
        await recordChange(tx, { caller, request }, change)
        return made
      }),
    )
    return { data: await serialize(db, row) }
  })

  handle(app, routes.listDomains, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listDomains, caller, query)
    const found = await listDomains(db, caller.organizationId, query, page)
    const wireOf = await serializerFor(db, caller.organizationId, found.rows)
    return page.reply(found, wireOf)
  })

  handleGet(app, routes.getDomain, { find: findDomain, notFound, toWire: (row, { db }) => serialize(db, row) })

  handle(app, routes.deleteDomain, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await removeDomain(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const change = {
        action: 'domains.delete',
        resourceType,
        resourceId: row.id,
        of: row,
        details: { name: row.name },
      }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

const notFound = (id: string) => missing('domainNotFound', 'domain', id)

const serialize = async (db: Db, row: DomainRow): Promise<Domain> =>
  (await serializerFor(db, row.organizationId, [row]))(row)

/** Returns a function that creates the API representation, with the certificates of a whole page read at once. */
async function serializerFor(db: Db, organizationId: string, rows: DomainRow[]): Promise<(row: DomainRow) => Domain> {
  const wanted = rows.flatMap(({ name }) => namesCovering(name))
  const certificates = await certificatesNaming(db, organizationId, [...new Set(wanted)])
  return (row) => {
    const covering = namesCovering(row.name)
    const own = certificates.filter(({ names }) => names.some((name) => covering.includes(name)))
    return {
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      organizationId: row.organizationId,
      projectId: row.projectId,
      environmentId: row.environmentId,
      name: row.name,
      ...(row.description !== null && { description: row.description }),
      isVerified: own.some(({ status }) => status === 'ISSUED'),
      certificateIds: own.map(({ id }) => id),
    }
  }
}
