import { createHash } from 'node:crypto'
import type { Change } from '../project-files/plan.ts'

/**
 * Returns a digest of a plan. It depends on the commit and on the existing records, so that an approval covers exactly
 * one plan.
 */
export function digestOf(commit: string, changes: readonly Change[]): string | undefined {
  if (changes.length === 0) return undefined
  const said = changes.map(({ action, key, id, fields, differences }) => ({ action, key, id, fields, differences }))
  return createHash('sha256')
    .update(JSON.stringify([commit, said]))
    .digest('base64url')
}

/** Returns a number from 0 to 1 that is constant for an id. */
export const shareOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
