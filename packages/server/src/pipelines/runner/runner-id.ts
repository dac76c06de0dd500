import { readFile } from 'node:fs/promises'
import type { DataDir } from '../../platform/data-dir/open.ts'
import { replaceFile } from '../../platform/data-dir/replace-file.ts'
import { newId } from '../../platform/ids.ts'

/** Who a runner is: the same as long as its data directory is there, for that is where its programs are found again. */
export async function rememberRunnerId(dataDir: DataDir): Promise<string> {
  const file = dataDir.inside('runner.id')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  const id = newId('rnr')
  await replaceFile(file, `${id}\n`)
  return id
}
