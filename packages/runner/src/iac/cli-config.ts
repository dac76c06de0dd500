import { access, readFile } from 'node:fs/promises'

/** The configuration file of the tool's command line, and the folders of plug-ins that are named in it. */
export async function filesOf(cliConfig: string | undefined): Promise<string[]> {
  if (cliConfig === undefined) return []
  const text = await readFile(cliConfig, 'utf8')
  const named = Array.from(text.matchAll(/=\s*"(\/[^"]+)"/g), ([, path = '']) => path)
  const areThere = await Promise.all(named.map(isThere))
  return [cliConfig, ...named.filter((_, index) => areThere[index])]
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
