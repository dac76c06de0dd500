import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findInStore } from './key-store.ts'

/** A service, and whose key of one of its organizations is kept. */
type Known = { url: string; organization: string; who: string }

/** Where the key is: in the file itself, or in the key store of the system, under a name there. */
export type Login = Known & ({ token: string } | { account: string })

/** What `sluice login` keeps: each by its name, and the one that is used where nothing else is said. */
export type Logins = { used?: string; logins: Record<string, Login> }

const file = (): string => join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'sluice', 'logins.json')

/** @throws where others could read the keys, or it is no such file: nothing of it is used, then. */
export function readLogins(): Logins {
  const path = file()
  const text = textOf(path)
  if (text === undefined) return { logins: {} }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new Error(`Others on this machine may read the keys in ${path}. Make it yours alone: chmod 600 ${path}`)
  try {
    const read: unknown = JSON.parse(text)
    if (isLogins(read)) return read
  } catch {
    // Not JSON, so not ours.
  }
  throw new Error(`${path} is not what sluice login writes. Remove it, and log in again.`)
}

/**
 * The key of a login.
 *
 * @throws where the key store of the system does not give it.
 */
export function tokenOf(login: Login): string {
  if ('token' in login) return login.token
  const token = findInStore(login.account)
  if (token) return token
  throw new Error(
    `The key store of the system does not give the key for ${login.organization}. Unlock it, or sluice login again.`,
  )
}

/** Where keys are that no key store has, for people. */
export const fileOfLogins = file

/** The whole file or nothing of it, read by nobody else at any time. */
export function writeLogins(logins: Logins): void {
  const path = file()
  const next = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(next, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(next, path)
  } finally {
    rmSync(next, { force: true })
  }
}

/**
 * The login for an address, or the one in use where none is said. A key goes to the service that it was made for, and
 * nowhere else.
 */
export function loginFor(url: string | undefined): Login | undefined {
  const { used, logins } = readLogins()
  const inUse = used === undefined ? undefined : logins[used]
  if (url === undefined || inUse?.url === url) return inUse
  return Object.values(logins).find((login) => login.url === url)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isLogins(read: unknown): read is Logins {
  const logins: unknown = Reflect.get(Object(read), 'logins')
  return typeof logins === 'object' && logins !== null && Object.values(logins).every(isLogin)
}

const isLogin = (one: unknown): one is Login =>
  ['url', 'organization', 'who'].every((name) => isText(one, name)) && (isText(one, 'token') || isText(one, 'account'))

const isText = (one: unknown, name: string): boolean => typeof Reflect.get(Object(one), name) === 'string'
