import type { Seal } from '../../platform/crypto/seal.ts'
import type { DefaultValueDefinitionRow, DefaultValueRow } from './tables.ts'

/** A value as its row keeps it: sealed, if its definition is sensitive. */
export const hold = (
  seal: Seal,
  { isSensitive }: Pick<DefaultValueDefinitionRow, 'isSensitive'>,
  value: unknown,
): DefaultValueRow['held'] => (isSensitive ? { sealed: seal.close(JSON.stringify(value)) } : { value })

/** The value that a row keeps, sealed or not. Not for the wire. */
export const heldValue = (seal: Seal, { held }: Pick<DefaultValueRow, 'held'>): unknown =>
  'sealed' in held ? JSON.parse(seal.open(held.sealed)) : held.value
