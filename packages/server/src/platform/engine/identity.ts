import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Key pair with which the engine signs its calls, so that a worker obeys only this engine. */
export interface EngineIdentity {
  /** PKCS8 PEM file, readable by its owner only, which the engine reads at its start. */
  keyFile: string
  /** Public key for workers, in the engine's notation: `publickeyv1_` and base58. */
  publicKey: string
}

/** Reads the identity in `keyFile`, and creates it at the first start. */
export async function openEngineIdentity(keyFile: string): Promise<EngineIdentity> {
  await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 })
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  await writeFile(keyFile, privateKey, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error // keeps the key of an earlier start
  })
  return { keyFile, publicKey: publicKeyOf(await readFile(keyFile, 'utf8')) }
}

function publicKeyOf(privateKeyPem: string): string {
  const { x } = createPublicKey(createPrivateKey(privateKeyPem)).export({ format: 'jwk' })
  if (x === undefined) throw new Error('The engine identity is not an ed25519 key.')
  return `publickeyv1_${base58(Buffer.from(x, 'base64url'))}`
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes: Uint8Array): string {
  const leadingZeros = bytes.findIndex((byte) => byte !== 0)
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let digits = ''
  for (; rest > 0n; rest /= 58n) digits = base58Alphabet.charAt(Number(rest % 58n)) + digits
  return '1'.repeat(Math.max(leadingZeros, 0)) + digits
}
