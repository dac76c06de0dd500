import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

/** Version of the command line, which equals that of the service. */
export const { version } = manifest

/** Commit from which a version was built. */
export type Build = {
  /** Full hash of the Git commit. */
  commit: string
  /** Commit date, as ISO 8601. */
  date: string
}

/** Packages and images contain this file; a checkout has its history, which takes precedence. */
const buildFile = new URL('../build.json', import.meta.url)

/** Returns the current build, or undefined for sources without history. */
export async function readBuild(): Promise<Build | undefined> {
  const ofCheckout = await lastCommit()
  if (ofCheckout) return ofCheckout
  const written = await readFile(buildFile, 'utf8').catch(() => undefined)
  return written === undefined ? undefined : JSON.parse(written)
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns the last commit of a checkout. Sources may also be inside another repository. */
async function lastCommit(): Promise<Build | undefined> {
  if (!existsSync(join(root, '.git'))) return undefined
  const args = ['-C', root, 'log', '-1', '--format=%H %cI']
  const { stdout } = await promisify(execFile)('git', args).catch(() => ({ stdout: '' }))
  const [commit, date] = stdout.trim().split(' ')
  return commit && date ? { commit, date } : undefined
}

/** Returns the version with its build, as one line. */
export async function describeVersion(): Promise<string> {
  const build = await readBuild()
  return build === undefined ? version : `${version} (commit ${build.commit.slice(0, 12)}, ${build.date})`
}
