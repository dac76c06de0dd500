import type { Db } from './open.ts'

/** Record with a changed status. */
export type StatusChange = {
  kind: 'deployment' | 'pipeline run' | 'step execution'
  id: string
  organizationId: string
  /** Previous status; undefined for a new record. */
  from: string | undefined
  to: string
}

type Tell = (change: StatusChange) => void

const listeners = new WeakMap<object, Tell>()
/** Transaction objects that are observed already, because they are reused. */
const listening = new WeakSet<object>()

/** Calls `tell` with changes of status that are made through `db`, after their transaction is committed. */
export function withStatusChangeListener<Handle extends Pick<Db, 'transaction'>>(db: Handle, tell: Tell): Handle {
  listeners.set(db, tell)
  if (listening.has(db)) return db
  listening.add(db)
  const transact = db.transaction.bind(db)
  db.transaction = async (work, config) => {
    const changes: StatusChange[] = []
    const result = await transact((tx) => work(withStatusChangeListener(tx, (change) => changes.push(change))), config)
    for (const change of changes) listeners.get(db)?.(change)
    return result
  }
  return db
}

/** Publishes a changed status of a written record. A repeated write changes nothing and publishes nothing. */
export function emitStatusChange(
  db: Db,
  kind: StatusChange['kind'],
  before: { status: string } | undefined,
  { id, organizationId, status }: { id: string; organizationId: string; status: string },
): void {
  if (before?.status !== status) listeners.get(db)?.({ kind, id, organizationId, from: before?.status, to: status })
}
