import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

/** Of this command line, which has that of the service. */
export const { version } = manifest

/** What a version was built from. */
export type Build = {
  /** Full hash of the Git commit. */
  commit: string
  /** When it was committed, as ISO 8601. */
  date: string
}

/** Packages and images have the file; a checkout has its history, which is asked first. */
const buildFile = new URL('../build.json', import.meta.url)

/** Returns the build that runs; undefined for a copy of the sources without history. */
export async function readBuild(): Promise<Build | undefined> {
  const ofCheckout = await lastCommit()
  if (ofCheckout) return ofCheckout
  const written = await readFile(buildFile, 'utf8').catch(() => undefined)
  return written === undefined ? undefined : JSON.parse(written)
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Of a checkout only: sources can lie in the repository of somebody else. */
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
