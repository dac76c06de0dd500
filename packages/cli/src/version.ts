import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
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

/** Packages and images have the file; a checkout has its history. */
const buildFile = new URL('../build.json', import.meta.url)

/** Returns the build that runs; undefined for a copy of the sources without history. */
export async function readBuild(): Promise<Build | undefined> {
  const written = await readFile(buildFile, 'utf8').catch(() => undefined)
  return written === undefined ? lastCommit() : JSON.parse(written)
}

async function lastCommit(): Promise<Build | undefined> {
  const directory = fileURLToPath(new URL('..', import.meta.url))
  const args = ['-C', directory, 'log', '-1', '--format=%H %cI']
  const { stdout } = await promisify(execFile)('git', args).catch(() => ({ stdout: '' }))
  const [commit, date] = stdout.trim().split(' ')
  return commit && date ? { commit, date } : undefined
}

/** Returns the version with its build, as one line. */
export async function describeVersion(): Promise<string> {
  const build = await readBuild()
  return build === undefined ? version : `${version} (commit ${build.commit.slice(0, 12)}, ${build.date})`
}
