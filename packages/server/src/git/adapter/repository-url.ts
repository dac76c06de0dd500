import type { CodeSourceType } from '@sluice/contract'

/** Repository with its normalized URL, used for comparisons. */
export type Repository = { repoUrl: string; repoName: string }

/** Host names of the public hosts. Self-managed servers can have any other name. */
export type HostNames = { GITHOSTA: string; GITHOSTB: string }

/** Returns the web URL of a commit at the host whose web address is `hostUrl`. */
export function commitUrlOf(
  { type, repoUrl }: { type: CodeSourceType; repoUrl: string },
  commit: string,
  hostUrl: string,
): string {
  const repository = new URL(hostUrl).origin + new URL(repoUrl).pathname
  return `${repository}${type === 'GITHOSTA' ? '' : '/-'}/commit/${encodeURIComponent(commit)}`
}

/** Path segment that both hosts accept. GitHub paths have an owner and a name; GitLab nests groups. */
const segment = /^(?!\.{1,2}$)[\w.-]{1,100}$/
const depthOf = (type: CodeSourceType) => (type === 'GITHOSTA' ? { least: 2, most: 2 } : { least: 2, most: 21 })

/**
 * Parses a repository address: `https://host/owner/name`, `ssh://git@host/owner/name` or `git@host:owner/name`, with or
 * without `.git`. Normalizes the address to lower case, because both hosts ignore case; the name keeps its case.
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

/** Converts an address to an HTTPS URL. Returns undefined if it is invalid or has a query or credentials. */
function asUrl(text: string): URL | undefined {
  const short = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(text)
  const whole = short ? `ssh://${short[1]}/${short[2]}` : text
  if (!/^(https|ssh):\/\//i.test(whole) || !URL.canParse(whole)) return undefined
  const { protocol, username, password, host, hostname, pathname, search, hash } = new URL(whole)
  const isSsh = protocol === 'ssh:'
  if (search !== '' || hash !== '' || password !== '' || (username !== '' && !isSsh)) return undefined
  // An SSH port does not apply to HTTPS.
  const address = `https://${isSsh ? hostname : host}${pathname}`
  return URL.canParse(address) ? new URL(address) : undefined
}

const isHostOf = (hosts: HostNames, type: CodeSourceType, host: string): boolean =>
  type === 'GITHOSTB_SELF_HOSTED' ? !Object.values(hosts).includes(host) : hosts[type] === host

const expectedOf = (hosts: HostNames, type: CodeSourceType): string =>
  `the https or ssh address of a repository, without password and query, such as https://${type === 'GITHOSTB_SELF_HOSTED' ? 'git.example.com' : hosts[type]}/owner/name`
