import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

// OWASP's first choice for argon2id (Password Storage Cheat Sheet, read 2026-11): 19 MiB, 2 passes, 1 lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** An argon2id hash of a password in PHC format, ready to be stored. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes)
  const tag = await derive('argon2id', { message: password, nonce, tagLength: tagBytes, ...cost })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}
