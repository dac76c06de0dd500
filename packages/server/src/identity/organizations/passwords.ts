import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

type Cost = { memory: number; passes: number; parallelism: number }

// OWASP's first recommendation for argon2id (Password Storage Cheat Sheet, read 2026-11): 19 MiB, 2 passes, 1 lane.
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** Returns an argon2id hash of the password in PHC format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes)
  return format(nonce, await tagOf(password, nonce, tagBytes, cost))
}

/**
 * Verifies a password. Without a hash it takes equally long and returns false, so that the time does not reveal whether
 * the user exists.
 */
export async function verifyPassword(password: string, hash: string = nobodysHash): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = hash.match(phc) ?? []
  const expected = Buffer.from(tag, 'base64')
  if (expected.length === 0) throw new Error('a stored password hash is not argon2id in PHC format')
  const hashed = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const actual = await tagOf(password, Buffer.from(nonce, 'base64'), expected.length, hashed)
  return timingSafeEqual(actual, expected)
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** NFKC, because keyboards produce different bytes for the same text (NIST SP 800-63B, 3.1.1.2). */
const tagOf = (password: string, nonce: Buffer, tagLength: number, { memory, passes, parallelism }: Cost) =>
  derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength, memory, passes, parallelism })

function format(nonce: Buffer, tag: Buffer): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}

/** Hash that no password matches, because it is all zeros. */
const nobodysHash = format(Buffer.alloc(saltBytes), Buffer.alloc(tagBytes))
