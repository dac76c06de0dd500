import type { Db } from '../../platform/db/open.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { refuseTaken } from '../../platform/http/taken.ts'
import type { Asking } from './author.ts'
import { type Placed, recordChange } from './record.ts'

/** A kind of record that people make, change and delete, and name by a givenId that is theirs once. */
export type KindOfRecord = {
  /** As the paths of its operations begin: `projects`. Its actions in the audit log begin so, too. */
  plural: string
  /** What the audit log calls one: `project`. */
  resourceType: string
  /** Of records that are places: what others name them by. */
  place?: 'projectId' | 'environmentId'
  /** The unique index that keeps a givenId from being taken twice. */
  givenIdIndex: string
  givenIdTaken: (givenId: string | undefined) => Refusal
  notFound: (id: string) => Refusal
}

type Creating = Asking & { db: Db; body: { data: { givenId: string } } }
type Updating = Asking & { db: Db; body: { data: { givenId?: string } }; params: { id: string } }
type Removing = Asking & { db: Db; params: { id: string } }

/**
 * What changes of such records have in common: one transaction, with a line in the audit log, and the usual refusals.
 */
export const recordsOf = ({ plural, resourceType, place, givenIdIndex, givenIdTaken, notFound }: KindOfRecord) => ({
  /** Makes one. */
  create: <Row extends Placed & { id: string }>(call: Creating, insert: (tx: Db) => Promise<Row>): Promise<Row> =>
    refuseTaken(
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

  /** Changes one; `update` answers with undefined where there is none. */
  update: <Row extends Placed & { id: string }>(
    call: Updating,
    update: (tx: Db) => Promise<Row | undefined>,
  ): Promise<Row> =>
    refuseTaken(
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

  /** Deletes one that `lock` has found and holds, after whatever `remove` refuses. */
  remove: <Row extends Placed & { id: string }>(
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

const placeOf = ({ id, projectId, environmentId }: Placed & { id: string }, place: KindOfRecord['place']): Placed => ({
  ...{ projectId, environmentId },
  ...(place && { [place]: id }),
})
