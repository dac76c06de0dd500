import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Place } from './scene.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const peopleProgram = 'earlier-people.ts'

/** Version of Sluice from the history of this repository. */
export type EarlierVersion = {
  revision: string
  /** Path of the service's program. */
  program: string
  /** Path of the runner's program. */
  runner: string
  /** Whether it starts on a later schema that declares to be compatible. */
  livesWithLater: boolean
  /** Creates an organization with the code of that version. */
  settle(place: Place, strategies: unknown[]): Promise<EarlierPeople>
}

export type EarlierPeople = { token: string; projectId: string; moduleInstanceIds: string[] }

/** Returns the version that users upgrade from: UPGRADE_FROM, or the content of `deploy/last-release`. */
export async function lastRelease(): Promise<string> {
  const file = await readFile(join(root, 'deploy/last-release'), 'utf8')
  return process.env.UPGRADE_FROM ?? file.split(/\s/, 1)[0] ?? ''
}

/** Unpacks a version into an empty directory. Returns the reason if that is not possible. */
export async function unpackVersion(revision: string, directory: string): Promise<EarlierVersion | string> {
  const known = await git('cat-file', '-e', `${revision}^{commit}`).then(
    () => true,
    () => false,
  )
  if (!known) return `the history of git, which has ${revision}`
  const archive = join(directory, 'version.tar')
  await git('archive', '--output', archive, revision)
  await run('tar', ['--extract', '--file', archive, '--directory', directory])
  const other = await otherDependencies(directory)
  if (other.length > 0) return `the dependencies of ${revision}, which are others now: ${other.join(', ')}`
  await linkDependencies(directory)
  const crash = join(directory, 'packages/server/crash')
  await copyFile(join(root, 'packages/server/crash', peopleProgram), join(crash, peopleProgram))
  // The infrastructure must satisfy the simulated cloud of the present version.
  const infrastructure = 'packages/server/demo/cloud.ts'
  await copyFile(join(root, infrastructure), join(directory, infrastructure))
  return {
    revision,
    program: join(crash, 'service.ts'),
    runner: join(directory, 'packages/runner/src/main.ts'),
    livesWithLater: livesWithFiles.some((file) => existsSync(join(directory, file))),
    async settle({ database, apiUrl, cloudUrl }, strategies) {
      if (!('url' in database)) throw new Error('two versions share a database only where that is a server')
      const asked = JSON.stringify({ databaseUrl: database.url, apiUrl, cloudUrl, strategies })
      const { stdout } = await run(process.execPath, [join(crash, peopleProgram), asked], { env: {} })
      return JSON.parse(stdout)
    },
  }
}

/** Files in which versions list the later schemas that they are compatible with. */
const livesWithFiles = ['lives-with.ts', 'migrations/lives-with.ts'].map(
  (file) => `packages/server/src/platform/db/${file}`,
)

const git = (...args: string[]) => run('git', ['-C', root, ...args])

/** Returns the dependencies of its server whose installed version differs. */
async function otherDependencies(directory: string): Promise<string[]> {
  const wanted = JSON.parse(await readFile(join(directory, 'packages/server/package.json'), 'utf8'))
  const other: string[] = []
  for (const [name, version] of Object.entries<string>(wanted.dependencies)) {
    if (name.startsWith('@sluice/')) continue
    const places = ['packages/server/node_modules', 'node_modules'].map((place) =>
      join(root, place, name, 'package.json'),
    )
    const texts = await Promise.all(places.map((place) => readFile(place, 'utf8').catch(() => '{}')))
    if (!texts.some((text) => JSON.parse(text).version === version)) other.push(`${name} ${version}`)
  }
  return other
}

/** Links its own workspace packages, and all other packages to the installed ones. */
async function linkDependencies(directory: string): Promise<void> {
  const [from, to] = [join(root, 'node_modules'), join(directory, 'node_modules')]
  await mkdir(join(to, '@sluice'), { recursive: true })
  for (const name of await readdir(from)) {
    if (name !== '@sluice' && !name.startsWith('.')) await symlink(join(from, name), join(to, name))
  }
  for (const folder of await readdir(join(directory, 'packages'))) {
    const place = join(directory, 'packages', folder)
    const { name } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))
    await symlink(place, join(to, name))
    const nested = join(root, 'packages', folder, 'node_modules')
    if ((await readdir(nested).catch(() => [])).length > 0) await symlink(nested, join(place, 'node_modules'))
  }
}
