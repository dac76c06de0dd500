import { createHash } from 'node:crypto'
import type { Change } from '../project-files/plan.ts'

/** Names what a plan would do to what is there: another commit, or another thing that is there, is another plan. */
export function digestOf(commit: string, changes: readonly Change[]): string | undefined {
  if (changes.length === 0) return undefined
  const said = changes.map(({ action, key, id, fields, differences }) => ({ action, key, id, fields, differences }))
  return createHash('sha256')
    .update(JSON.stringify([commit, said]))
    .digest('base64url')
}

/** A number from 0 to 1 that an id always has. */
export const shareOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
