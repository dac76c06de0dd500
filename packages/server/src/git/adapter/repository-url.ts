import type { CodeSourceType } from '@sluice/contract'

/** A repository by its address, in the one form that addresses are compared in. */
export type Repository = { repoUrl: string; repoName: string }

/** The host of each kind that is open to everybody; self-hosted ones have any other. */
export type HostNames = { GITHOSTA: string; GITHOSTB: string }

/** Where a host shows a commit of a repository, which people see at `hostUrl`: an address with its origin. */
export function commitUrlOf(
  { type, repoUrl }: { type: CodeSourceType; repoUrl: string },
  commit: string,
  hostUrl: string,
): string {
  const repository = new URL(hostUrl).origin + new URL(repoUrl).pathname
  return `${repository}${type === 'GITHOSTA' ? '' : '/-'}/commit/${encodeURIComponent(commit)}`
}

/** Words in a path, as both hosts take them; the first has exactly an owner and a name, the second nests groups. */
const segment = /^(?!\.{1,2}$)[\w.-]{1,100}$/
const depthOf = (type: CodeSourceType) => (type === 'GITHOSTA' ? { least: 2, most: 2 } : { least: 2, most: 21 })

/**
 * Reads the address of a repository: `https://host/owner/name`, `ssh://git@host/owner/name` or `git@host:owner/name`,
 * with or without `.git`. Both hosts ignore case, so addresses are kept in lower case; the name stays as it was
 * written.
 */
export function readRepositoryUrl(
  hosts: HostNames,
  type: CodeSourceType,
  text: string,
): Repository | { expected: string } {
  const expected = { expected: expectedOf(hosts, type) }
  const url = asUrl(text.trim())
  if (!url) return expected
  const names = url.pathname
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '')
    .split('/')
    .slice(1)
  const { least, most } = depthOf(type)
  if (names.length < least || names.length > most || !names.every((name) => segment.test(name))) return expected
  const host = url.host.replace(/^www\./, '')
  if (!isHostOf(hosts, type, host)) return expected
  const repoName = names.join('/')
  return { repoUrl: `https://${host}/${repoName.toLowerCase()}`, repoName }
}

/**
 * The https address that a text means; undefined where there is none, or more in it than an address: a secret, a query.
 */
function asUrl(text: string): URL | undefined {
  const short = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(text)
  const whole = short ? `ssh://${short[1]}/${short[2]}` : text
  if (!/^(https|ssh):\/\//i.test(whole) || !URL.canParse(whole)) return undefined
  const { protocol, username, password, host, hostname, pathname, search, hash } = new URL(whole)
  const isSsh = protocol === 'ssh:'
  if (search !== '' || hash !== '' || password !== '' || (username !== '' && !isSsh)) return undefined
  // The port of ssh is not that of https.
  const address = `https://${isSsh ? hostname : host}${pathname}`
  return URL.canParse(address) ? new URL(address) : undefined
}

const isHostOf = (hosts: HostNames, type: CodeSourceType, host: string): boolean =>
  type === 'GITHOSTB_SELF_HOSTED' ? !Object.values(hosts).includes(host) : hosts[type] === host

const expectedOf = (hosts: HostNames, type: CodeSourceType): string =>
  `the https or ssh address of a repository, without password and query, such as https://${type === 'GITHOSTB_SELF_HOSTED' ? 'git.example.com' : hosts[type]}/owner/name`
