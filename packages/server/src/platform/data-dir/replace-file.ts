import { rename, writeFile } from 'node:fs/promises'

/** Replaces a file atomically: after a crash there is the old or the new content. */
export async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
