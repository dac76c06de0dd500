import type { Db } from '../../platform/db/open.ts'
import type { ApiError } from '../../platform/http/api-error.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import type { CallerRequest } from './author.ts'
import { type RecordScope, recordChange } from './record.ts'

/** Type of record with a unique givenId that users create, update and delete. */
export type RecordType = {
  /** Path segment of its operations, such as `projects`, which also starts its audit actions. */
  plural: string
  /** Resource type in the audit log, such as `project`. */
  resourceType: string
  /** For projects and environments: the field with which other records refer to them. */
  place?: 'projectId' | 'environmentId'
  /** Unique index of the givenId. */
  givenIdIndex: string
  givenIdTaken: (givenId: string | undefined) => ApiError
  notFound: (id: string) => ApiError
}

type Creating = CallerRequest & { db: Db; body: { data: { givenId: string } } }
type Updating = CallerRequest & { db: Db; body: { data: { givenId?: string } }; params: { id: string } }
type Removing = CallerRequest & { db: Db; params: { id: string } }

/** Returns create, update and remove functions with a transaction, an audit event and the usual errors. */
export const recordsOf = ({ plural, resourceType, place, givenIdIndex, givenIdTaken, notFound }: RecordType) => ({
  /** Creates a record with a unique givenId. */
  create: <Row extends RecordScope & { id: string }>(call: Creating, insert: (tx: Db) => Promise<Row>): Promise<Row> =>
    rejectTaken(
      givenIdIndex,
      () => givenIdTaken(call.body.data.givenId),
      () =>
        call.db.transaction(async (tx) => {
          const row = await insert(tx)
          const change = {
            action: `${plural}.create`,
            resourceType,
            resourceId: row.id,
            of: placeOf(row, place),
            details: call.body.data,
          }
          await recordChange(tx, call, change)
          return row
        }),
    ),

  /** Updates a record. `update` returns undefined if it does not exist. */
  update: <Row extends RecordScope & { id: string }>(
    call: Updating,
    update: (tx: Db) => Promise<Row | undefined>,
  ): Promise<Row> =>
    rejectTaken(
      givenIdIndex,
      () => givenIdTaken(call.body.data.givenId),
      () =>
        call.db.transaction(async (tx) => {
          const row = await update(tx)
          if (!row) throw notFound(call.params.id)
          const change = {
            action: `${plural}.update`,
            resourceType,
            resourceId: row.id,
            of: placeOf(row, place),
            details: call.body.data,
          }
          await recordChange(tx, call, change)
          return row
        }),
    ),

  /** Deletes the record that `lock` returns. `remove` may throw to reject that. */
  remove: <Row extends RecordScope & { id: string }>(
    call: Removing,
    lock: (tx: Db) => Promise<Row | undefined>,
    remove: (tx: Db, row: Row) => Promise<void>,
  ): Promise<void> =>
    call.db.transaction(async (tx) => {
      const row = await lock(tx)
      if (!row) throw notFound(call.params.id)
      await remove(tx, row)
      await recordChange(tx, call, {
        action: `${plural}.delete`,
        resourceType,
        resourceId: row.id,
        of: placeOf(row, place),
      })
    }),
})

const placeOf = (
  { id, projectId, environmentId }: RecordScope & { id: string },
  place: RecordType['place'],
): RecordScope => ({
  projectId,
  environmentId,
  ...(place && { [place]: id }),
})
