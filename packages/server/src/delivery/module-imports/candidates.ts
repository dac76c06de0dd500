import type { ImportableResource, ImportableResourcePage, ImportableType } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { listServices } from '../../cloud/adapter/ecs/importable.ts'
import { listFunctions } from '../../cloud/adapter/lambda/importable.ts'
import type { ImportablePage } from '../../cloud/facts/importable.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { present } from '../../platform/present.ts'
import { releasersTo } from './store.ts'

type List = (clients: CloudClients, limit: number, from: string | undefined) => Promise<ImportablePage>

const lists: Record<ImportableType, List> = {
  'cloud:ecs': ({ ecs }, limit, from) => listServices(ecs, limit, from),
  'cloud:lambda': ({ lambda }, limit, from) => listFunctions(lambda, limit, from),
}

export type CandidateQuery = {
  cloudAccountId: string
  type: ImportableType
  region: string
  limit: number
  cursor?: string | undefined
}

/** Lists a page of resources in a region of an account that can be imported. */
export async function listCandidates(clients: CloudClients, wish: CandidateQuery): Promise<ImportablePage> {
  const { type, limit, cursor } = wish
  const from = cursor === undefined ? undefined : readCursor(cursor, listOf(wish))
  return lists[type](clients, limit, from)
}

/** Returns the API representation of a page, with the instances that release to these resources already. */
export async function serializeCandidates(
  db: Db,
  organizationId: string,
  { found, next }: ImportablePage,
  wish: CandidateQuery,
): Promise<ImportableResourcePage> {
  const { type, limit } = wish
  const releasers = await releasersTo(
    db,
    organizationId,
    found.map(({ resourceArn, arn }) => resourceArn ?? arn),
  )
  const data = found.map(({ arn, resourceArn = arn, name, group, runs }): ImportableResource => {
    const releaser = releasers.find((one) => one.resourceArn === resourceArn)
    return { type, resourceArn: arn, name, ...present({ group, runs, moduleInstanceId: releaser?.id }) }
  })
  return { data, meta: { limit, nextCursor: next === undefined ? '' : writeCursor(listOf(wish), next) } }
}

/**
 * Returns the identity of a list, for its cursors. A forged cursor only leads to resources that the caller can list
 * anyway.
 */
const listOf = ({ cloudAccountId, type, region }: CandidateQuery): string => `${cloudAccountId} ${type} ${region}`

const writeCursor = (list: string, next: string): string =>
  Buffer.from(JSON.stringify([list, next])).toString('base64url')

function readCursor(cursor: string, list: string): string {
  const [itsOwn, from] = parsed(cursor)
  if (itsOwn === list && typeof from === 'string') return from
  throw new ApiError('cursorInvalid', 'Use the value of `nextCursor` as `cursor`, with the same filters, or omit it.')
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
