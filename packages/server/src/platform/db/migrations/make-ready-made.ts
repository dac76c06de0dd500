import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../open.ts'
import { readyMadeFolder, readyMadePath } from './ready-made.ts'

// A program: `npm ci` runs it, by `npm run prepare`. What it makes only saves time: all works without it as well.
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
