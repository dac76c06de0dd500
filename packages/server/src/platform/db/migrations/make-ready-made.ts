import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../open.ts'
import { readyMadeFolder, readyMadePath } from './ready-made.ts'

// Program of `npm run prepare`. Its result only saves time; everything works without it.
try {
  const directory = join(readyMadeFolder, 'unfinished')
  await rm(readyMadeFolder, { recursive: true, force: true })
  await mkdir(readyMadeFolder, { recursive: true })
  const database = await openDatabase({ directory })
  await database.close()
  await rename(directory, await readyMadePath())
} catch (error) {
  console.error(`There is no ready-made database, so a first start takes some seconds longer: ${error}`)
}
