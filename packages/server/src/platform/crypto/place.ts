import { type AnyPgColumn, getTableName } from '../db/drizzle.ts'
import type { KeyPurpose } from './keys.ts'

/** Where a sealed text stands, as it is bound to it. */
export type Place = string

/** A column of sealed texts. Every one there is stands in `interface/sealed-values/columns.ts`. */
export type SealedColumn = {
  column: AnyPgColumn
  /**
   * What tells its rows apart and never changes: the id, or what is known before the id is; and where secrets are sent.
   */
  row: readonly AnyPgColumn[]
  /** Where the column holds JSON: the key whose text is sealed. */
  key?: string
  purpose: KeyPurpose
}

/** The place of a value: swapped with that of another row, column or organization, it is not opened. */
export const placeIn = ({ column }: Pick<SealedColumn, 'column'>, organizationId: string, ...row: string[]): Place =>
  JSON.stringify([getTableName(column.table), column.name, organizationId, ...row])
