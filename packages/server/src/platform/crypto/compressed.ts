import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { SealContext } from './place.ts'
import type { Seal } from './seal.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Compresses and then encrypts, because encrypted bytes do not compress. */
export const closeCompressed = async (seal: Seal, place: SealContext, bytes: Buffer | string): Promise<string> =>
  seal.closeBytes(place, await compress(bytes))

export const openCompressed = (seal: Seal, place: SealContext, sealed: string): Promise<Buffer> =>
  expand(seal.openBytes(place, sealed))
