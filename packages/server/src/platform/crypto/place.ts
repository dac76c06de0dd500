import { type AnyPgColumn, getTableName } from '../db/drizzle.ts'
import type { KeyPurpose } from './keys.ts'

/** Location of an encrypted text. It cannot be decrypted at another location. */
export type SealContext = string

/** Column of encrypted texts. `interface/sealed-values/columns.ts` lists all. */
export type SealedColumn = {
  column: AnyPgColumn
  /**
   * Immutable columns that identify a row: the ID, or what is known before it; and for secrets that are sent, their
   * destination.
   */
  row: readonly AnyPgColumn[]
  /** Key of the encrypted text in a JSON column. */
  key?: string
  purpose: KeyPurpose
}

/**
 * Returns the location of a value. A value that is moved to another row, column or organization cannot be decrypted.
 */
export const createSealContext = (
  { column }: Pick<SealedColumn, 'column'>,
  organizationId: string,
  ...row: string[]
): SealContext => JSON.stringify([getTableName(column.table), column.name, organizationId, ...row])
