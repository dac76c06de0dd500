import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The first that takes `http.curloptResolve`, by which a name leads where it was looked up and nowhere else. */
const needed = [2, 37] as const

/**
 * Throws where git is older than what fetching repositories of others safely takes. Where there is none, steps that
 * need it say so.
 */
export async function expectGitThatPins(program = 'git'): Promise<void> {
  const said = await run(program, ['--version']).catch(() => undefined)
  if (!said) return
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(said.stdout) ?? []).map(Number)
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return
  const least = needed.join('.')
  throw new Error(
    `${said.stdout.trim()} is too old: with one before ${least}, the name of a repository could lead into this network. ` +
      `Install git ${least} or later.`,
  )
}
