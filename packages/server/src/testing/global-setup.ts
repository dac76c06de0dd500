import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../platform/db/open.ts'
import { createEmptyDatabase, dropAllOfThisRun, nameThisRun, templateVariable } from './database.ts'
import { fastFolderVariable, worldsFolderVariable } from './folders.ts'

/**
 * Creates one migrated database per test run, which tests copy. A new one takes seconds (3 to 6 on two cores if
 * embedded), a copy a fraction of one. Everything is deleted at the end of the run.
 */
export default async function prepare(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await quickest(), 'sluice-tests-'))
  const worlds = await mkdtemp(join(tmpdir(), 'sluice-worlds-'))
  await chmod(worlds, 0o711) // isolated programs of other users have their folders in it
  process.env[worldsFolderVariable] = worlds
  nameThisRun()
  process.env[fastFolderVariable] = folder
  // Tests start hundreds of processes: a simulated cloud then takes 0.3 s of processor time instead of 0.8.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  const template = await createEmptyDatabase()
  const database = await openDatabase(template.location)
  await database.close()
  process.env[templateVariable] =
    'url' in template.location ? new URL(template.location.url).pathname.slice(1) : template.location.directory
  return async () => {
    await template.drop()
    await dropAllOfThisRun()
    // A process that is just ending may still write there.
    for (const one of [folder, worlds]) await rm(one, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** Minimum free space for the memory file system. A test run needs up to 1 GiB; containers often have only 64 MiB. */
const roomyBytes = 4 * 2 ** 30

/** Returns the memory file system if large enough: copying a database there takes 0.1 s, on a busy disk 1 to 3 s. */
async function quickest(): Promise<string> {
  const memory = '/dev/shm'
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return free >= roomyBytes ? memory : tmpdir()
}
