import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** Who a runner is: the same as long as its directory is there, for that is where its programs are found again. */
export async function rememberRunnerId(directory: string): Promise<string> {
  const file = join(directory, 'id')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  const id = `rnr_${Array.from(randomBytes(26), (byte) => letters[byte % letters.length]).join('')}`
  await writeFile(`${file}.new`, `${id}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file) // in one go: a part of an id would be another one
  return id
}
