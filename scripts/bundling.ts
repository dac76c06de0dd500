import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Rolldown } from 'tsdown'

// Plugins that bundle programs of several files.

/** Bundles modules that are started by URL, as in `new URL('./worker.ts', import.meta.url)`. */
export function modulesByAddress(): Rolldown.Plugin {
  const address = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g
  return {
    name: 'modules-by-address',
    transform: {
      filter: { code: address },
      handler(code, id) {
        return code.replaceAll(address, (_, path: string) => {
          const reference = this.emitFile({
            type: 'chunk',
            id: resolve(dirname(id), path),
            preserveSignature: 'strict',
          })
          return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`
        })
      },
    },
  }
}

/** Writes the licences of all bundled packages to `LICENSES.txt`. */
export function licences(): Rolldown.Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
      const source = [...folders].toSorted().map(licenceOf).join('\n\n---\n\n')
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source })
    },
  }
}

/** Returns the licence of the package in `folder`, as its file has it, or as its `package.json` declares it. */
export function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined && typeof license !== 'string') throw new Error(`${name} comes without a licence.`)
  const text =
    file === undefined ? `The package has no file with its licence.` : readFileSync(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}`
}
