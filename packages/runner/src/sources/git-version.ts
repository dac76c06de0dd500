import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The first that takes `http.curloptResolve`, by which a name leads where it was looked up and nowhere else. */
const needed = [2, 37] as const

/**
 * What git says of itself, as `git version 2.39.5`; undefined where there is none: steps that need it say so. Throws
 * where it is older than what fetching repositories of others safely takes.
 */
export async function expectGitThatPins(program = 'git'): Promise<string | undefined> {
  const said = await run(program, ['--version']).catch(() => undefined)
  if (!said) return undefined
  const version = said.stdout.trim()
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return version
  const least = needed.join('.')
  throw new Error(
    `${version} is too old: with one before ${least}, the name of a repository could lead into this network. ` +
      `Install git ${least} or later.`,
  )
}
