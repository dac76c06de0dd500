import { access, readFile } from 'node:fs/promises'

/** Returns the paths of the tool's CLI configuration file and of the existing files and folders that it refers to. */
export async function listCliConfigFiles(cliConfig: string | undefined): Promise<string[]> {
  if (cliConfig === undefined) return []
  const text = await readFile(cliConfig, 'utf8')
  const named = Array.from(text.matchAll(/=\s*"(\/[^"]+)"/g), ([, path = '']) => path)
  const areThere = await Promise.all(named.map(exists))
  return [cliConfig, ...named.filter((_, index) => areThere[index])]
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
