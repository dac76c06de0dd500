import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Returns the runner's ID. It stays the same as long as the directory exists, because running programs are found there.
 */
export async function loadRunnerId(directory: string): Promise<string> {
  const file = join(directory, 'id')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  const id = `rnr_${Array.from(randomBytes(26), (byte) => alphabet[byte % alphabet.length]).join('')}`
  await writeFile(`${file}.new`, `${id}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file) // atomic: a partly written ID would be another runner
  return id
}
