import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Declarations, readDeclarations } from './declarations.ts'

/** Writes files to a folder of the test and reads them as the configuration of an attempt. */
export async function declarationsIn(files: Record<string, string>): Promise<Declarations> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-configuration-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  const readResult = async (path: string) => ({ content: await readFile(join(directory, path)) })
  return readDeclarations({ directory, attempt: { directory, readResult } })
}
