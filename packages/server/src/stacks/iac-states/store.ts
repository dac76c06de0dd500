import { hash } from 'node:crypto'
import { closeCompressed, openCompressed } from '../../platform/crypto/compressed.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { and, desc, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { findRoom, type ReachedStorageLimit } from '../../platform/limits/stored.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { type StackWorkspaceRow, stackWorkspaces } from '../stacks/tables.ts'
import { compareState } from './machine.ts'
import { readState } from './state-file.ts'
import { type IacStateVersionRow, iacStateVersions, sealedStates } from './tables.ts'

const ofWorkspace = (organizationId: string, workspaceId: string) =>
  and(eq(iacStateVersions.organizationId, organizationId), eq(iacStateVersions.workspaceId, workspaceId))

/** Returns the current state of a workspace; undefined if there never was one. */
export async function findLatestState(
  db: Db,
  organizationId: string,
  workspaceId: string,
): Promise<IacStateVersionRow | undefined> {
  const [row] = await db
    .select()
    .from(iacStateVersions)
    .where(ofWorkspace(organizationId, workspaceId))
    .orderBy(desc(iacStateVersions.sequence))
    .limit(1)
  return row
}

type OfState = Pick<IacStateVersionRow, 'id' | 'organizationId'>

const placeOf = ({ id, organizationId }: OfState) => createSealContext(sealedStates, organizationId, id)

export const openState = (
  seal: Seal,
  { sealed, ...of }: OfState & Pick<IacStateVersionRow, 'sealed'>,
): Promise<Buffer> => openCompressed(seal, placeOf(of), sealed)

/**
 * State that is ready to be stored. It is compressed and encrypted before the transaction, because that takes long for
 * a large one.
 */
export type PackedState = Pick<
  IacStateVersionRow,
  'id' | 'lineage' | 'serial' | 'digest' | 'sealed' | 'sizeBytes' | 'resourceCount'
>

/** Returns undefined for an invalid state. Assigns the id, because the encryption is bound to the row. */
export async function packState(seal: Seal, organizationId: string, bytes: Buffer): Promise<PackedState | undefined> {
  const state = readState(bytes)
  if (!state) return undefined
  const id = newId('isv')
  return {
    id,
    lineage: state.lineage,
    serial: state.serial,
    digest: hash('sha256', bytes, 'hex'),
    sealed: await closeCompressed(seal, placeOf({ id, organizationId }), bytes),
    sizeBytes: bytes.length,
    resourceCount: state.resources.length,
  }
}

/** Result of storing a state: the new version, `same` for a duplicate, a conflict, or a full storage. */
export type AppendedState = IacStateVersionRow | 'same' | { conflict: string } | { full: ReachedStorageLimit }

/**
 * Adds a version to a workspace, whose row the caller has locked to serialize writers. If the organization's storage is
 * full, the version replaces the latest one. A state that is not larger is always stored, so that everything can be
 * destroyed.
 */
export async function appendState(
  tx: Db,
  { id: workspaceId, organizationId, latestStateSequence }: StackWorkspaceRow,
  packed: PackedState,
  { mosts, ...by }: Pick<IacStateVersionRow, 'stepExecutionId' | 'createdBy'> & { mosts: LimitValues },
): Promise<AppendedState> {
  const latest = await findLatestState(tx, organizationId, workspaceId)
  const verdict = compareState(latest, packed)
  if (verdict !== 'new') return verdict
  const room = await findRoom(mosts, tx, organizationId, 'storedStateBytes')
  if (room && packed.sealed.length > room.bytes) {
    if (!latest || packed.sealed.length > room.bytes + latest.sealed.length) return { full: room.full }
    await tx.delete(iacStateVersions).where(eq(iacStateVersions.id, latest.id))
  }
  const sequence = latestStateSequence + 1
  const [row] = await tx
    .insert(iacStateVersions)
    .values({ organizationId, workspaceId, sequence, ...packed, ...by })
    .returning()
  if (!row) throw new Error('the state was not inserted')
  await tx
    .update(stackWorkspaces)
    .set({ latestStateSequence: sequence, updatedAt: sql`now()` })
    .where(eq(stackWorkspaces.id, workspaceId))
  return row
}

export function listStateVersions(
  db: Db,
  organizationId: string,
  workspaceId: string,
  page: PageBounds,
): Promise<PageRows<IacStateVersionRow>> {
  return selectPage(db, iacStateVersions, ofWorkspace(organizationId, workspaceId), page)
}

export async function findStateVersion(
  db: Db,
  organizationId: string,
  id: string,
): Promise<IacStateVersionRow | undefined> {
  const [row] = await db
    .select()
    .from(iacStateVersions)
    .where(and(eq(iacStateVersions.organizationId, organizationId), eq(iacStateVersions.id, id)))
  return row
}
