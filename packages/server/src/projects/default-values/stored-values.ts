import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { type DefaultValueDefinitionRow, type DefaultValueRow, sealedDefaultValues } from './tables.ts'

type Of = Pick<DefaultValueRow, 'id' | 'organizationId'>

const placeOf = ({ id, organizationId }: Of) => createSealContext(sealedDefaultValues, organizationId, id)

/** Returns the stored form of a value: encrypted if its definition is sensitive. */
export const toStored = (
  seal: Seal,
  of: Of,
  { isSensitive }: Pick<DefaultValueDefinitionRow, 'isSensitive'>,
  value: unknown,
): DefaultValueRow['held'] => (isSensitive ? { sealed: seal.close(placeOf(of), JSON.stringify(value)) } : { value })

/** Returns a stored value, decrypted if necessary. Must not be returned by the API. */
export const fromStored = (seal: Seal, { held, ...of }: Of & Pick<DefaultValueRow, 'held'>): unknown =>
  'sealed' in held ? JSON.parse(seal.open(placeOf(of), held.sealed)) : held.value
