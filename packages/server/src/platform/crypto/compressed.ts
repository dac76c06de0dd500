import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Seal } from './seal.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Compresses, then seals: sealed bytes no longer compress. */
export const closeCompressed = async (seal: Seal, bytes: Buffer | string): Promise<string> =>
  seal.closeBytes(await compress(bytes))

export const openCompressed = (seal: Seal, sealed: string): Promise<Buffer> => expand(seal.openBytes(sealed))
