import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { harmless } from '@sluice/calls/harmless'
import { createClient } from '@sluice/client'
import { addressOf, reach, usualUrl, type Where } from './connect.ts'
import { type Login, type Logins, readLogins, writeLogins } from './logins.ts'
import type { Style } from './output.ts'
import { printList } from './print.ts'

/** Keeps an API key, after a look at whose it is, and uses it from now on. */
export async function login({ url = usualUrl, name }: Where & { name?: string }): Promise<void> {
  const address = addressOf(url)
  const token = (await readKey(address)).trim()
  if (token === '') throw new CalledWrongly('No key was given: nothing is kept.')
  const { data: me } = await createClient({ baseUrl: address, token, fetch: reach, retry: false }).whoami()
  const login = { url: address, token, organization: me.organizationName, who: me.email || (me.fullName ?? me.userId) }
  const known = readLogins()
  const called = name ?? freeName(known, login)
  writeLogins({ used: called, logins: { ...known.logins, [called]: login } })
  process.stdout.write(`${harmless(`${login.who} in ${login.organization} at ${address}`)}, called ${called}.\n`)
}

/** At a terminal it is asked for and not shown; a script writes it to stdin. */
async function readKey(address: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin)
  process.stderr.write(`An API key of ${address}, which the console makes below Settings. It is not shown: `)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** The organization's name as a word; with the host where another service has one called so. */
function freeName({ logins }: Logins, { url, organization }: Login): string {
  const word =
    organization
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'sluice'
  const isFree = logins[word] === undefined || logins[word].url === url
  return isFree ? word : `${word}-${new URL(url).host.replaceAll(/[^a-z0-9]+/g, '-')}`
}

/** Uses another login from now on. */
export function use(name: string): void {
  const known = readLogins()
  loginNamed(known, name)
  writeLogins({ ...known, used: name })
}

/** Shows what is kept, but for the keys. */
export async function listLogins(style: Style): Promise<void> {
  const { used, logins } = readLogins()
  const rows = Object.entries(logins).map(([name, { token: _, ...rest }]) => ({ name, used: name === used, ...rest }))
  printList(rows, style, {
    whole: rows,
    columns: ['name', 'used', 'organization', 'who', 'url'],
    none: 'There is no login: sluice login makes one.',
    toRow: (row) => ({ ...row, used: row.used ? 'yes' : '' }),
  })
}

/** Forgets a key, which is not revoked by that: it may be used elsewhere. */
export function logout(name: string | undefined): void {
  const known = readLogins()
  const gone = name ?? known.used
  if (gone === undefined) throw new CalledWrongly('There is no login in use: sluice use shows those that are there.')
  loginNamed(known, gone)
  const { [gone]: _, ...logins } = known.logins
  writeLogins({ ...(known.used !== undefined && known.used !== gone && { used: known.used }), logins })
  process.stdout.write(
    `${gone} is forgotten. Its key still works until it is revoked, in the console below Settings.\n`,
  )
}

function loginNamed({ logins }: Logins, name: string): void {
  if (Object.hasOwn(logins, name)) return
  throw new CalledWrongly(`There is no login ${name}. There are: ${Object.keys(logins).join(', ') || 'none'}.`)
}
