import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The first version with `http.curloptResolve`, which pins a host name to the addresses that were checked. */
const minVersion = [2, 37] as const

/**
 * Returns the version of git, such as `git version 2.39.5`; undefined if git is missing, which only fails steps that
 * need it.
 *
 * @throws if the version is too old to fetch repositories of tenants safely
 */
export async function requireGitVersion(program = 'git'): Promise<string | undefined> {
  const said = await run(program, ['--version']).catch(() => undefined)
  if (!said) return undefined
  const version = said.stdout.trim()
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return version
  const least = minVersion.join('.')
  throw new Error(
    `${version} is too old: before ${least}, the host name of a repository could be resolved to an internal address. ` +
      `Install git ${least} or later.`,
  )
}
