import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findSecret } from './key-store.ts'

/** Service and organization of a login, and the owner of its key. */
type Known = { url: string; organization: string; who: string }

/** Login with its key: in the file itself, or under a name in the system's key store. */
export type Login = Known & ({ token: string } | { account: string })

/** Stored logins by name, and the one in use. */
export type Logins = { used?: string; logins: Record<string, Login> }

const file = (): string => join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'sluice', 'logins.json')

/** Reads the logins. @throws if other users can read the file, or it is invalid */
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
    // Falls through to the error below if the file is not valid JSON.
  }
  throw new Error(`${path} is not what sluice login writes. Remove it, and log in again.`)
}

/** Returns the key of a login. @throws if the key store does not return it */
export function tokenOf(login: Login): string {
  if ('token' in login) return login.token
  const token = findSecret(login.account)
  if (token) return token
  throw new Error(
    `The key store of the system does not give the key for ${login.organization}. Unlock it, or sluice login again.`,
  )
}

/** Returns the path of the file with keys, for messages. */
export const fileOfLogins = file

/** Writes the file atomically and readable only by its owner. */
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

/** Returns the login for a URL, or the one in use. A key is only sent to the service for which it was created. */
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
