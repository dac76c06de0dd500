import { hash } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { UsageError } from '@sluice/calls/usage-error'
import { createClient } from '@sluice/client'
import { addressOf, defaultUrl, fetchWithErrorReason, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printList } from '../print.ts'
import { obtainKeyByDeviceSignIn } from './device.ts'
import { deleteSecret, storeSecret } from './key-store.ts'
import { fileOfLogins, type Login, type Logins, readLogins, writeLogins } from './logins.ts'

type LoginWishes = UrlOption & { name?: string; device?: true; browser?: true }

/** Verifies and stores an API key, and makes it the login in use. */
export async function login({ url = defaultUrl, name, device, browser }: LoginWishes): Promise<void> {
  const address = addressOf(url)
  const asks = device || browser
  const token = asks
    ? await obtainKeyByDeviceSignIn(address, { opens: browser === true })
    : (await readKey(address)).trim()
  if (token === '') throw new UsageError('No key was given: nothing is kept.')
  const { data: me } = await createClient({
    baseUrl: address,
    token,
    fetch: fetchWithErrorReason,
    retry: false,
  }).whoami()
  const whose = { url: address, organization: me.organizationName, who: me.email || (me.fullName ?? me.userId) }
  const known = readLogins()
  const called = name ?? freeName(known, whose)
  const account = accountOf(called, address)
  const store = storeSecret(account, token)
  const kept = store === undefined ? { ...whose, token } : { ...whose, account }
  const before = known.logins[called]
  writeLogins({ used: called, logins: { ...known.logins, [called]: kept } })
  if (before && 'account' in before && (store === undefined || before.account !== account)) deleteSecret(before.account)
  process.stdout.write(
    `${removeControlCharacters(`${whose.who} in ${whose.organization} at ${address}`)}, called ${called}.\n`,
  )
  const where =
    store === undefined ? `${fileOfLogins()}, which only you may read` : `the key store of the system (${store})`
  process.stdout.write(`The key is in ${removeControlCharacters(where)}.\n`)
}

/** Returns the key's unique name in the key store, without spaces and quotes. */
const accountOf = (name: string, url: string): string =>
  `${name.replaceAll(/[^A-Za-z0-9-]+/g, '-').slice(0, 60)}-${hash('sha256', `${url} ${name}`, 'hex').slice(0, 12)}`

/** Prompts for the key without echo at a terminal; otherwise reads it from standard input. */
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

/** Returns the organization's name as a login name, with the host if it is taken. */
function freeName({ logins }: Logins, { url, organization }: { url: string; organization: string }): string {
  const word =
    organization
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'sluice'
  const isFree = logins[word] === undefined || logins[word].url === url
  return isFree ? word : `${word}-${new URL(url).host.replaceAll(/[^a-z0-9]+/g, '-')}`
}

/** Changes the login in use. */
export function selectLogin(name: string): void {
  const known = readLogins()
  loginNamed(known, name)
  writeLogins({ ...known, used: name })
}

/** Lists the logins without their keys. */
export async function listLogins(style: OutputOption): Promise<void> {
  const { used, logins } = readLogins()
  const rows = Object.entries(logins).map(([name, { url, organization, who }]) => ({
    name,
    used: name === used,
    url,
    organization,
    who,
  }))
  printList(rows, style, {
    whole: rows,
    columns: ['name', 'used', 'organization', 'who', 'url'],
    none: 'There is no login: sluice login makes one.',
    toRow: (row) => ({ ...row, used: row.used ? 'yes' : '' }),
  })
}

/** Deletes a login. The key is not revoked, because it may be used elsewhere. */
export function logout(name: string | undefined): void {
  const known = readLogins()
  const gone = name ?? known.used
  if (gone === undefined) throw new UsageError('There is no login in use: sluice use lists the existing ones.')
  const login = loginNamed(known, gone)
  const { [gone]: _, ...logins } = known.logins
  if ('account' in login) deleteSecret(login.account)
  writeLogins({ ...(known.used !== undefined && known.used !== gone && { used: known.used }), logins })
  process.stdout.write(
    `${gone} is forgotten. Its key still works until it is revoked, in the console below Settings.\n`,
  )
}

function loginNamed({ logins }: Logins, name: string): Login {
  const login = Object.hasOwn(logins, name) ? logins[name] : undefined
  if (login) return login
  throw new UsageError(`There is no login ${name}. There are: ${Object.keys(logins).join(', ') || 'none'}.`)
}
