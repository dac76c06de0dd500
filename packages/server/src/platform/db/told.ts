import type { Db } from './open.ts'

/** A record whose status is another one now. */
export type StatusChange = {
  kind: 'deployment' | 'pipeline run' | 'step execution'
  id: string
  organizationId: string
  /** Where it was; undefined where it is new. */
  from: string | undefined
  to: string
}

type Tell = (change: StatusChange) => void

const listeners = new WeakMap<object, Tell>()
/** Those that listen already: objects of transactions are used again. */
const listening = new WeakSet<object>()

/** Has `tell` told of changes of status that are made through `db`, once their transaction is committed. */
export function tellingChanges<Handle extends Pick<Db, 'transaction'>>(db: Handle, tell: Tell): Handle {
  listeners.set(db, tell)
  if (listening.has(db)) return db
  listening.add(db)
  const transact = db.transaction.bind(db)
  db.transaction = async (work, config) => {
    const changes: StatusChange[] = []
    const result = await transact((tx) => work(tellingChanges(tx, (change) => changes.push(change))), config)
    for (const change of changes) listeners.get(db)?.(change)
    return result
  }
  return db
}

/**
 * Tells of a record that was written, where its status is another one than before. Whoever writes the same again,
 * such as a step of work that is repeated, changes nothing and tells of nothing.
 */
export function tellChange(
  db: Db,
  kind: StatusChange['kind'],
  before: { status: string } | undefined,
  { id, organizationId, status }: { id: string; organizationId: string; status: string },
): void {
  if (before?.status !== status) listeners.get(db)?.({ kind, id, organizationId, from: before?.status, to: status })
}
