import { rename, writeFile } from 'node:fs/promises'

/** Writes a file of ours as a whole: after a crash there is the old one or the new one, never a part. */
export async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
