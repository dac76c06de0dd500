import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../platform/db/open.ts'
import { createEmptyDatabase, dropAllOfThisRun, nameThisRun, templateVariable } from './database.ts'
import { quickFolderVariable, worldsFolderVariable } from './folders.ts'

/**
 * Makes one migrated database for the whole run, which the tests copy: making one anew takes seconds (3 to 6 on two
 * cores where it is embedded), a copy a fraction of one. What tests leave behind goes with the run.
 */
export default async function prepare(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await quickest(), 'sluice-tests-'))
  const worlds = await mkdtemp(join(tmpdir(), 'sluice-worlds-'))
  await chmod(worlds, 0o711) // isolated programs of other users have their folders in it
  process.env[worldsFolderVariable] = worlds
  nameThisRun()
  process.env[quickFolderVariable] = folder
  // For the hundreds of processes that tests start: a simulated cloud takes 0.3 s of processor time instead of 0.8.
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

/** What a run of tests keeps at a time is 1 GiB at most; a container often has but 64 MiB of this. */
const roomyBytes = 4 * 2 ** 30

/** Memory where Linux gives it as a folder: a database is copied there in 0.1 s, on a busy disk in 1 to 3 s. */
async function quickest(): Promise<string> {
  const memory = '/dev/shm'
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return free >= roomyBytes ? memory : tmpdir()
}
